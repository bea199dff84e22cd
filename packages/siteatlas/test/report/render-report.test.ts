/** The HTML and the Markdown of a report: complete, small, and without anything that a site could inject. */
import { createHash } from "node:crypto";
import { Parser } from "htmlparser2";
import { describe, expect, it } from "vitest";
import { AT, SAMPLES } from "../../../../scripts/report/sample-sites.mjs";
import { renderReport } from "../../src/report/render/render-report.ts";
import { type Box, treemap } from "../../src/report/render/treemap.ts";
import { markdownReport } from "../../src/report/render-markdown.ts";
import type { SiteReport } from "../../src/report/report-model.ts";
import { siteReport } from "../../src/report/site-report.ts";

const command = "siteatlas report www.example.com -o report.html";
const names = SAMPLES.map(({ name }) => name);

const reports = new Map<string, Promise<SiteReport>>();

function numbersOf(name: string): Promise<SiteReport> {
  const { site, events } = SAMPLES.find((sample) => sample.name === name)!;
  const report = reports.get(name) ?? siteReport(events(), { site, at: AT, command });
  reports.set(name, report);
  return report;
}

/** Tags that the templates contain. */
const TAGS = new Set(
  "html head meta title style body header main footer section div h1 h2 h3 p a bdi b br small strong code span ul ol li dl dt dd table caption thead tbody tr th td details summary svg g rect path circle text".split(
    " ",
  ),
);

describe.each(names)("the report of %s", (name) => {
  it("has only its own tags, no script, no style attribute, and at most 250 KB", async () => {
    const page = renderReport(await numbersOf(name));
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(250_000);
    const open: string[] = [];
    const parser = new Parser({
      onopentag(tag, attributes) {
        expect(TAGS).toContain(tag);
        for (const attribute of Object.keys(attributes)) expect(attribute).not.toMatch(/^(?:on|style$|src)/);
        if ("href" in attributes) expect(attributes["href"]).toMatch(/^https:\/\/[\w.-]+\/$/);
        open.push(tag);
      },
      onclosetag(tag) {
        expect(open.pop()).toBe(tag);
      },
    });
    parser.end(page);
    expect(open).toEqual([]);
  });

  it("has a policy that allows only its own style", async () => {
    const page = renderReport(await numbersOf(name));
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
  });

  it("survives JSON", async () => {
    const numbers = await numbersOf(name);
    expect(renderReport(JSON.parse(JSON.stringify(numbers)))).toBe(renderReport(numbers));
  });

  it("has no markup of the site in Markdown", async () => {
    const text = markdownReport(await numbersOf(name));
    expect(text).not.toMatch(/[<>]|\]\(|@/);
    for (const line of text.split("\n").filter((one) => one.startsWith("|")))
      expect(line.match(/\|/g)!.length).toBeGreaterThan(2);
  });
});

it("says what is missing", async () => {
  const page = renderReport(await numbersOf("shop"));
  expect(page).toContain("1 sitemap could not be read.");
  expect(page).toContain("≥ 80,049");
  expect(renderReport(await numbersOf("nothing"))).toContain("No sitemap could be read");
  expect(renderReport(await numbersOf("one-page"))).not.toContain("do not contain");
});

it("shows the title, and the differences to an earlier report", async () => {
  const before = await numbersOf("one-page");
  const page = renderReport(await numbersOf("shop"), { title: "My <b>shop", before });
  expect(page).toContain("<h1><bdi>My &lt;b&gt;shop</bdi></h1>");
  expect(page).toContain("+80,048");
});

it("shows the findings of lint instead of the issues, and those of check in a card of their own", async () => {
  const shop = await numbersOf("shop");
  const rule = {
    rule: "url.x<b>",
    severity: "warning",
    message: "A <b> & | b\nc",
    fix: "Write %20",
    count: 7,
  } as const;
  const found = { target: "https://www.example.com/", pages: 20, rules: [{ ...rule, examples: [] }] };
  const page = renderReport({ ...shop, lint: found });
  expect(page).toContain("<strong>A &lt;b&gt; &amp; | b\\nc</strong>");
  expect(page).toContain("<br>Write %20</td>");
  expect(page).toContain("rules of lint: 0 errors, 1 warnings");
  expect(page).not.toContain("xml.truncated</code>");
  expect(page).not.toContain("Checked pages");
  expect(page).toContain("No errors were found in the sitemaps.");
  const checked = renderReport({ ...shop, check: found });
  expect(checked).toContain("siteatlas check requested 20 pages of https://www.example.com/.");
  expect(checked).toContain("xml.truncated</code>");
  expect(renderReport({ ...shop, check: { ...found, rules: [] } })).toContain("It found nothing wrong.");
  const markdown = markdownReport({ ...shop, lint: found, check: found });
  expect(markdown.match(/^\| A &#60;b&#62; &#38; &#124; b.*\| warning \| 7 \| Write %20 \|$/gm)).toHaveLength(
    2,
  );
});

const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");
const SVG = Buffer.from(
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>',
);

it.each([
  ["png", PNG],
  ["jpeg", Buffer.from("ffd8ffe000104a46", "hex")],
  ["svg+xml", SVG],
])("contains a logo (%s) as an image, and the policy allows no other images", async (type, logo) => {
  const page = renderReport(await numbersOf("one-page"), { logo });
  const url = `data:image/${type};base64,${logo.toString("base64")}`;
  const images: string[] = [];
  const parser = new Parser({
    onopentag: (tag, { src = "" }) => void (tag === "img" && images.push(src)),
  });
  parser.end(page);
  expect(images).toEqual([url]);
  expect(page).toContain('form-action &#39;none&#39;; img-src data:"');
  expect(renderReport(await numbersOf("one-page"))).not.toContain("img-src");
});

it.each([
  ["the logo is not a PNG, JPEG or SVG image", Buffer.from("GIF89a")],
  [
    "the logo is not a PNG, JPEG or SVG image",
    Buffer.from("<!doctype html><svg xmlns='http://www.w3.org/2000/svg'>"),
  ],
  ["the logo is not a PNG, JPEG or SVG image", Buffer.from("")],
  ["the logo is an SVG without xmlns", Buffer.from("<svg><path/></svg>")],
  ["the logo has more than 32 KB", Buffer.concat([PNG, Buffer.alloc(32 * 1024)])],
])("refuses a logo: %s", async (message, logo) => {
  const numbers = await numbersOf("one-page");
  expect(() => renderReport(numbers, { logo })).toThrow(message);
});

it("finds the day that a third of a section has in common", async () => {
  const { dates } = await numbersOf("shop");
  expect(dates.bulk[0]).toMatchObject({ date: "2026-09-03", section: "/docs" });
});

describe("treemap", () => {
  it.each([[[1]], [[5, 3, 1]], [[100, 1, 1, 1, 1]], [Array.from({ length: 40 }, (_, at) => 40 - at)]])(
    "divides the whole box by size: %j",
    (sizes) => {
      const outer: Box = { x: 10, y: 20, width: 300, height: 120 };
      const boxes = treemap(sizes, outer);
      const sum = sizes.reduce((all, one) => all + one, 0);
      for (const [index, { x, y, width, height }] of boxes.entries()) {
        expect(width * height).toBeCloseTo((300 * 120 * sizes[index]!) / sum, 3);
        expect(x).toBeGreaterThanOrEqual(10 - 1e-6);
        expect(y).toBeGreaterThanOrEqual(20 - 1e-6);
        expect(x + width).toBeLessThanOrEqual(310 + 1e-6);
        expect(y + height).toBeLessThanOrEqual(140 + 1e-6);
      }
      expect(boxes).toHaveLength(sizes.length);
    },
  );
});
