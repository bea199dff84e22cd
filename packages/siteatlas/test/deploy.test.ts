/** Checks the systemd units of `siteatlas` in `deploy/`: their syntax, their sandbox, and the flags that they use. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commands } from "../src/cli/config/command-table.ts";
import { flagName } from "../src/cli/config/flags.ts";

const deploy = fileURLToPath(new URL("../../../deploy/", import.meta.url));
const units = readdirSync(deploy).filter((name) =>
  /^siteatlas-(?:watch|sync).*\.(?:service|timer)$/.test(name),
);
const services = units.filter((name) => name.endsWith(".service"));

const read = (unit: string): string => readFileSync(join(deploy, unit), "utf8");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const instanceOf = (unit: string): string => unit.replace("@.", "@example.com.");

test("there are units for watch, and for sync with a timer", () => {
  expect(units).toEqual(["siteatlas-sync@.service", "siteatlas-sync@.timer", "siteatlas-watch.service"]);
});

test.each(services)("every command and flag of %s exists", (unit) => {
  const [, name, args = ""] = /^ExecStart=\/usr\/bin\/env siteatlas (\w+) (.*)$/m.exec(read(unit)) ?? [];
  const settings = commands.find((command) => command.name === name)?.settings ?? [];
  const known = new Set(settings.map((setting) => `--${flagName(setting)}`));
  const used = args.split(" ").filter((word) => word.startsWith("-"));
  expect(used.length).toBeGreaterThan(1);
  expect(used.filter((flag) => !known.has(flag))).toEqual([]);
});

test.each(services)("%s is sandboxed", (unit) => {
  const text = read(unit);
  for (const line of [
    ...["User=siteatlas", "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes"],
    ...["CapabilityBoundingSet=", "SystemCallFilter=@system-service", "StateDirectory=siteatlas"],
  ]) {
    expect(text, unit).toContain(`\n${line}\n`);
  }
  expect(text).toMatch(/^MemoryMax=\d+G$/m);
});

describe.skipIf(!hasSystemd)("systemd-analyze", () => {
  test.each(units)("%s is valid", (name) => {
    const folder = mkdtempSync(join(tmpdir(), "units-"));
    try {
      // A template is checked as an instance. A timer needs its service in the same folder.
      for (const unit of units) copyFileSync(join(deploy, unit), join(folder, instanceOf(unit)));
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(folder, instanceOf(name))], {
        encoding: "utf8",
      });
      // It also reports problems of other units, and a manual page that is not installed.
      const own = stderr.split("\n").filter((line) => line.includes("siteatlas-") && !line.includes("man:"));
      expect(own).toEqual([]);
      expect([name, status, stderr]).toEqual([name, 0, stderr]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
