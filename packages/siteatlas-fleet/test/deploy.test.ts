/**
 * Checks `deploy/` and the documentation: the linter of each format finds no problem, and every command, flag, variable
 * and metric that they name exists. Needs neither a Docker engine nor a running systemd.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createProgram } from "../src/cli/program.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const deploy = join(root, "deploy");

const GUIDE = "docs/fleet.md";
/** The pages that show commands. */
const PAGES = [GUIDE, "docs/internet-scale.md", "packages/siteatlas-fleet/README.md", "README.md"];

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const deployed = readdirSync(deploy);
const units = deployed.filter((name) => /^siteatlas-fleet.*\.(service|timer)$/.test(name));

// ---------------------------------------------------------------- commands, flags and variables

/** The flags of each command, from its help text. */
const flags = new Map<string, ReadonlySet<string>>();
const variables = new Set<string>();

for (const command of createProgram().commands) {
  const text = command.helpInformation();
  flags.set(command.name(), new Set(text.match(/(?<=^ {2}|, )--?[a-z][a-z-]*/gim)));
  for (const name of text.match(/SITEATLAS_FLEET_[A-Z]+/g) ?? []) variables.add(name);
}

test("the help texts were parsed", () => {
  expect([...flags.keys()]).toContain("export");
  expect([...flags.get("export")!]).toEqual(
    expect.arrayContaining(["--dataset", "--output", "-o", "--help"]),
  );
  expect([...variables]).toContain("SITEATLAS_FLEET_CONTACT");
});

// ---------------------------------------------------------------- where they are named

interface Use {
  readonly where: string;
  readonly args: readonly string[];
}

/** Finds commands such as `siteatlas-fleet work --quiet`, up to the end of the command or of the line. */
function usesIn(where: string, text: string): Use[] {
  const ended = text.replaceAll("\\\n", " ");
  return [...ended.matchAll(/(?<![\w/-])siteatlas-fleet +([a-z][^\n`|<>;&#)"]*)/g)].map(([, rest]) => ({
    where,
    args: rest!.trim().split(/\s+/),
  }));
}

function wrong({ where, args: [command = "", ...rest] }: Use): string[] {
  const known = flags.get(command);
  if (known === undefined) return [`${where}: no command ${command}`];
  return rest
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/=.*/, ""))
    .filter((flag) => !known.has(flag))
    .map((flag) => `${where}: ${command} has no ${flag}`);
}

/** The code blocks of a page, and its text between backticks. */
function codeOf(markdown: string): string {
  const blocks = markdown.match(/^```(?:sh|console|ini|yaml)?\n[\s\S]*?^```/gm) ?? [];
  const inline = markdown.replace(/^```[\s\S]*?^```/gm, "").match(/`[^`\n]+`/g) ?? [];
  return [...blocks, ...inline].join("\n");
}

interface Service {
  readonly build?: object;
  readonly command?: string[];
  readonly image?: string;
  readonly networks?: readonly string[];
  readonly ports?: readonly unknown[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

function readCompose(): Compose {
  return parse(read("deploy/compose.yaml"), { merge: true }) as Compose;
}

function composeUses(): Use[] {
  const { services } = readCompose();
  return Object.entries(services).flatMap(([name, { build, command }]) =>
    build === undefined ? [] : [{ where: `compose.yaml, ${name}`, args: command ?? [] }],
  );
}

function dockerUse(): Use {
  const [, list = "[]"] = /^CMD (\[.*\])$/m.exec(read("deploy/Dockerfile")) ?? [];
  return { where: "Dockerfile", args: JSON.parse(list) };
}

describe("every command and flag exists", () => {
  test("in deploy/", () => {
    const uses = deployed.flatMap((name) => usesIn(name, read(`deploy/${name}`)));
    const all = [...uses, ...composeUses(), dockerUse()];
    expect(new Set(all.map(({ where }) => where)).size).toBeGreaterThanOrEqual(7);
    expect(all.flatMap(wrong)).toEqual([]);
  });

  test.each(PAGES)("in %s", (page) => {
    const uses = usesIn(page, codeOf(read(page)));
    if (page === GUIDE) expect(uses.length).toBeGreaterThan(10);
    expect(uses.flatMap(wrong)).toEqual([]);
  });

  test("in the text of the guide, if a flag is named without its command", () => {
    const all = new Set([...flags.values()].flatMap((own) => [...own]));
    const alone = codeOf(read(GUIDE)).match(/(?<=^`)--[a-z-]+/gm) ?? [];
    expect(alone.length).toBeGreaterThan(20);
    expect(alone.filter((flag) => !all.has(flag))).toEqual([]);
  });

  test("and the guide names all of them", () => {
    const guide = codeOf(read(GUIDE));
    const missing = [...flags].flatMap(([command, own]) =>
      [...own]
        .filter((flag) => flag.startsWith("--") && flag !== "--help")
        .filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(guide))
        .map((flag) => `${command} ${flag}`),
    );
    expect(missing).toEqual([]);
  });
});

test("every environment variable exists", () => {
  const texts = [...deployed.map((name) => `deploy/${name}`), ...PAGES].map(read);
  const named = new Set(texts.flatMap((text) => text.match(/SITEATLAS_FLEET_[A-Z]+/g) ?? []));
  expect([...named].filter((name) => !variables.has(name))).toEqual([]);
});

function metricNames(): string[] {
  const [, table = ""] =
    /const HELP = \{(.*?)\n\}/s.exec(read("packages/siteatlas-fleet/src/monitoring/metrics.ts")) ?? [];
  return [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => `siteatlas_fleet_${name}`);
}

test("the guide names all metrics, and no others", () => {
  const there = metricNames();
  const told = new Set(read(GUIDE).match(/siteatlas_fleet_\w+/g));
  expect(there.length).toBeGreaterThan(10);
  expect([...told].sort()).toEqual(there.sort());
});

// ---------------------------------------------------------------- alerts and dashboard

/** The series that a process serves. A histogram has three. */
const series = new Set(
  metricNames().flatMap((name) =>
    name.endsWith("leg_seconds") ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);
const unknownIn = (text: string): string[] =>
  (text.match(/siteatlas_fleet_\w+/g) ?? []).filter((name) => !series.has(name));

test("alert rules and the dashboard name only metrics that exist", () => {
  expect(series.size).toBeGreaterThan(10);
  for (const name of ["prometheus-rules.yaml", "prometheus-rules.test.yaml", "grafana-dashboard.json"]) {
    expect(unknownIn(read(`deploy/${name}`)), name).toEqual([]);
  }
});

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets: readonly { readonly expr: string }[];
}

test("the dashboard shows every metric, and its panels do not overlap", () => {
  const { panels } = JSON.parse(read("deploy/grafana-dashboard.json")) as { panels: Panel[] };
  const text = JSON.stringify(panels);
  const shown = [...series].filter((name) => !/_(sum|count)$/.test(name));
  expect(shown.filter((name) => !text.includes(name))).toEqual([]);
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(panels.length);
});

test("promtool accepts the alert rules, their unit tests and the queries of the dashboard", () => {
  const promtool = (...args: readonly string[]): string => {
    const { status, stdout, stderr, error } = spawnSync("promtool", args, { cwd: deploy, encoding: "utf8" });
    if (error !== undefined) throw new Error("promtool is missing (Debian: prometheus)", { cause: error });
    return status === 0 ? "" : stdout + stderr;
  };
  expect(promtool("check", "rules", "prometheus-rules.yaml")).toBe("");
  expect(promtool("test", "rules", "prometheus-rules.test.yaml")).toBe("");
  const { panels } = JSON.parse(read("deploy/grafana-dashboard.json")) as { panels: Panel[] };
  const rules = panels
    .flatMap(({ targets }) => targets)
    .map(({ expr }, at) => ({ record: `query_${at}`, expr: expr.replaceAll("$__rate_interval", "5m") }));
  const folder = mkdtempSync(join(tmpdir(), "rules-"));
  try {
    const file = join(folder, "dashboard.yaml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(promtool("check", "rules", file)).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("every alert has a unit test in which it fires", () => {
  const { groups } = parse(read("deploy/prometheus-rules.yaml")) as {
    groups: { rules: { alert: string }[] }[];
  };
  const { tests } = parse(read("deploy/prometheus-rules.test.yaml")) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const fired = tests
    .flatMap(({ alert_rule_test: cases }) => cases)
    .filter(({ exp_alerts: alerts }) => alerts.length > 0);
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(alerts.sort()).toEqual([...new Set(fired.map(({ alertname }) => alertname))].sort());
});

// ---------------------------------------------------------------- the linters

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe.skipIf(!hasSystemd)("systemd-analyze", () => {
  test.each(units)("%s is valid", (name) => {
    const folder = mkdtempSync(join(tmpdir(), "units-"));
    try {
      // A template is checked as an instance. A timer needs its service in the same folder.
      for (const unit of units) copyFileSync(join(deploy, unit), join(folder, instanceOf(unit)));
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(folder, instanceOf(name))], {
        encoding: "utf8",
      });
      // It also reports problems of other units of the machine.
      expect(stderr.split("\n").filter((line) => line.includes("siteatlas-fleet"))).toEqual([]);
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function instanceOf(unit: string): string {
  return unit.replace("@.", "@9464.");
}

test("units give workers time to end, and are sandboxed", () => {
  for (const unit of units.filter((name) => name.endsWith(".service"))) {
    const text = read(`deploy/${unit}`);
    for (const line of ["ProtectSystem=strict", "NoNewPrivileges=yes", "User=siteatlas-fleet"]) {
      expect(text, unit).toContain(`\n${line}\n`);
    }
    expect(text, unit).toMatch(/^MemoryMax=\d+G$/m);
  }
  const work = read("deploy/siteatlas-fleet-work@.service");
  for (const line of ["KillSignal=SIGTERM", "KillMode=mixed", "TimeoutStopSec=30", "Restart=always"]) {
    expect(work).toContain(`\n${line}\n`);
  }
});

test("the Dockerfile is valid, and does not run as root", () => {
  const text = read("deploy/Dockerfile");
  expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  expect(text.slice(text.lastIndexOf("\nFROM "))).toMatch(/^USER node$/m);
});

test("files that the Dockerfile copies exist, and are in the build context", () => {
  const copied = [...read("deploy/Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list]) =>
    list!.split(" "),
  );
  const ignore = read("deploy/Dockerfile.dockerignore").split("\n");
  expect(copied.length).toBeGreaterThan(5);
  for (const path of copied) {
    expect(() => readdirSync(join(root, path)), path).not.toThrow(/ENOENT/);
    expect(ignore, path).toContain(`!${path.split("/")[0]}`);
  }
});

test("compose.yaml follows its specification", () => {
  const linter = new DCLinter({
    // The order of keys is chosen for readers.
    rules: { "service-keys-order": 0, "services-alphabetical-order": 0, "top-level-properties-order": 0 },
    quiet: false,
    debug: false,
    exclude: [],
  });
  // The type declarations of dclint do not resolve under NodeNext.
  const results: readonly { readonly messages: readonly object[] }[] = linter.lintFiles(
    [join(deploy, "compose.yaml")],
    false,
  );
  expect(results.flatMap(({ messages }) => messages)).toEqual([]);
  // The linter reports nothing if it finds no file.
  expect(parse(read("deploy/compose.yaml"), { merge: true })).toHaveProperty("services.work.deploy.replicas");
});

test("Valkey has the settings that workers require", () => {
  const { services } = readCompose();
  const command = services["valkey"]?.command?.join(" ");
  expect(command).toContain("--appendonly yes");
  expect(command).toContain("--maxmemory-policy noeviction");
});

test("compose.yaml has no password, and refuses to start without one", () => {
  const text = read("deploy/compose.yaml");
  const named = [...text.matchAll(/(\w*PASSWORD)\b(?!:\s)(\S*)/g)].map(([, name, rest]) => [name, rest]);
  expect(new Set(named.map(([name]) => name))).toEqual(new Set(["POSTGRES_PASSWORD", "VALKEY_PASSWORD"]));
  for (const [name, rest] of named) expect(rest, name).toMatch(/^:\?set$/);
  expect(read("deploy/.env.example")).toMatch(/^POSTGRES_PASSWORD=$/m);
  expect(read("deploy/.env.example")).toMatch(/^VALKEY_PASSWORD=$/m);
  expect(text).toMatch(/SITEATLAS_FLEET_REDIS: redis:\/\/:\$\{VALKEY_PASSWORD/);
});

test("in compose.yaml the servers have separate networks without internet, and no published port", () => {
  const { services, networks } = readCompose();
  expect(services["postgres"]?.networks).toEqual(["database"]);
  expect(services["valkey"]?.networks).toEqual(["queue"]);
  const closed = Object.keys(networks).filter((name) => networks[name]?.internal);
  expect(closed).toEqual(["database", "queue"]);
  for (const [name, service] of Object.entries(services)) {
    expect(service.ports, name).toBeUndefined();
    const open = service.networks?.filter((network) => !closed.includes(network));
    expect(open, name).toEqual(name === "work" ? ["internet"] : []);
  }
});

test("images are pinned by digest, or can be", () => {
  const { services } = readCompose();
  const images = Object.values(services).flatMap(({ image }) => image ?? []);
  expect(images).toHaveLength(2);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$|^\$\{\w+_IMAGE:-/);
  const bases = read("deploy/Dockerfile").match(/^FROM \S+/gm);
  expect(bases).toHaveLength(3);
  for (const base of bases!) expect(base).toMatch(/^FROM \$\{NODE_IMAGE\}$/);
});
