/** Draws pages with a real Chromium, and with programs that behave like a broken one. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { drawPage } from "../../../src/cli/browser/draw-page.ts";
import { findBrowser } from "../../../src/cli/browser/find-browser.ts";
import { openSite } from "../../support/test-site.ts";
import { emptyFolder } from "../support/cli.ts";

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);
const { signal } = new AbortController();

/** Width and height of a PNG. */
function sizeOf(png: Uint8Array): number[] {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** A program that runs this script with Node. */
function program(script: string): string {
  const path = join(emptyFolder(), "browser");
  writeFileSync(path, `#!${process.execPath}\n${script}`);
  chmodSync(path, 0o755);
  return path;
}

function profiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => /^\.siteatlas-browser\..*-/.test(name) && isOwn(name));
}

function isOwn(name: string): boolean {
  return name.includes(`-${process.pid}-`);
}

describe.runIf(chromium !== undefined)("Chromium", () => {
  it("draws the whole page, prints it, and leaves no profile", { timeout: 60_000 }, async () => {
    const html = `<!doctype html><title>A</title><style>body{margin:0}</style><div style="height:1234px">A</div>`;
    const drawing = await drawPage(html, { browser: chromium!, png: true, pdf: true, signal });
    expect(sizeOf(drawing.png!)).toEqual([2560, 2468]);
    expect(Buffer.from(drawing.pdf!).subarray(0, 5).toString()).toBe("%PDF-");
    expect(profiles()).toEqual([]);
  });

  it("runs no script and sends no request, even if the page wants to", { timeout: 60_000 }, async () => {
    const site = await openSite({});
    const html = `<!doctype html><style>body{margin:0}</style><script>document.documentElement.style.height="3000px"</script>
      <img src="${site.url}/a.png"><iframe src="${site.url}/b"></iframe><link rel="stylesheet" href="${site.url}/c.css"><div style="height:500px"></div>`;
    const { png } = await drawPage(html, { browser: chromium!, png: true, pdf: false, signal });
    expect(sizeOf(png!)[1]).toBeGreaterThan(1000);
    expect(sizeOf(png!)[1]).toBeLessThan(3000);
    expect(site.requests).toEqual([]);
  });

  it("draws a page that is higher than a picture can be", { timeout: 60_000 }, async () => {
    const html = `<!doctype html><style>body{margin:0}</style><div style="height:20000px"></div>`;
    const { png } = await drawPage(html, { browser: chromium!, png: true, pdf: false, signal });
    expect(sizeOf(png!)).toEqual([1280, 16_384]);
  });
});

describe.skipIf(process.platform === "win32")("a browser that fails", () => {
  const page = { png: true, pdf: false, signal };

  it("says why it ended", async () => {
    const browser = program(`console.error("first\\nno usable sandbox \\x1b[31m"); process.exit(7);`);
    await expect(drawPage("", { ...page, browser })).rejects.toThrow(
      /^the browser ended \(exit code 7\): no usable sandbox [^\x1b]*$/,
    );
    expect(profiles()).toEqual([]);
  });

  it("is ended with all of its processes when it takes too long", { timeout: 30_000 }, async () => {
    const file = join(emptyFolder(), "pids");
    const browser = program(`
      const { spawn } = require("node:child_process");
      const child = spawn("sleep", ["60"], { stdio: "ignore" });
      require("node:fs").writeFileSync(${JSON.stringify(file)}, process.pid + " " + child.pid);
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1000);
    `);
    await expect(drawPage("", { ...page, browser, maxMs: 5000 })).rejects.toThrow(
      "the browser did not finish within 5 seconds",
    );
    await delay(100);
    for (const pid of readFileSync(file, "utf8").split(" ")) expect(isRunning(Number(pid))).toBe(false);
    expect(profiles()).toEqual([]);
  });

  it("is ended when the run is interrupted", async () => {
    const controller = new AbortController();
    const browser = program("setInterval(() => {}, 1000);");
    const drawing = drawPage("", { ...page, browser, signal: controller.signal });
    setTimeout(() => controller.abort(new Error("stopped by the test")), 300);
    await expect(drawing).rejects.toThrow("stopped by the test");
    expect(profiles()).toEqual([]);
  });

  it("answers with an error", async () => {
    const browser = program(`
      const { createReadStream, createWriteStream } = require("node:fs");
      const answers = createWriteStream("", { fd: 4 });
      createReadStream("", { fd: 3 }).on("data", (text) => {
        const { id } = JSON.parse(String(text).split("\\0")[0]);
        answers.write(JSON.stringify({ id, error: { message: "not \\x1b allowed" } }) + "\\0");
      });
    `);
    await expect(drawPage("", { ...page, browser })).rejects.toThrow(
      /^the browser failed: not [^\x1b]* allowed$/,
    );
  });

  it("cannot be started", async () => {
    await expect(drawPage("", { ...page, browser: emptyFolder() })).rejects.toThrow(
      "cannot start the browser: permission denied",
    );
    expect(profiles()).toEqual([]);
  });

  it("gets no settings of siteatlas, which may be passwords", async () => {
    const browser = program("console.error(Object.keys(process.env).join()); process.exit(1);");
    process.env["SITEATLAS_AUTH"] = "a:b";
    try {
      await expect(drawPage("", { ...page, browser })).rejects.toThrow(/PATH/);
      await expect(drawPage("", { ...page, browser })).rejects.not.toThrow(/SITEATLAS/);
    } finally {
      delete process.env["SITEATLAS_AUTH"];
    }
  });
});

/** Whether a process runs. A process that has ended but was not waited for does not. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === "win32")("the browser is found", () => {
  it("by its path or its name", () => {
    const path = program("");
    expect(findBrowser(path)).toBe(path);
    expect(() => findBrowser("./none")).toThrow("--browser ./none: no such program");
    expect(() => findBrowser("none-of-this-name")).toThrow("no such program");
    expect(() => findBrowser(emptyFolder())).toThrow("no such program");
  });
});
