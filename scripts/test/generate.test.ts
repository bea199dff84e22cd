import { expect, test } from "vitest";
import { issueCodes, issuePage } from "../generate/issues.mjs";
import { limitOptions, limitPage } from "../generate/limits.mjs";

const page = issuePage({
  "xml.stray-lt": {
    severity: "warning",
    message: "A <loc> with a | in it",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/",
  },
  "xml.too-deep": { severity: "error", message: "Too deep" },
  "url.relative": { severity: "info", message: "Relative", strict: "drop" },
  "not-fetched": { severity: "info", message: "Not fetched" },
  "newgroup.thing": { severity: "info", message: "Thing" },
});

test("codes are grouped by what they start with, in the order of the table", () => {
  expect(page.match(/^(## .*|\| `.*?`)/gm)).toEqual([
    "## XML",
    "| `xml.stray-lt`",
    "| `xml.too-deep`",
    "## URLs",
    "| `url.relative`",
    "## The document as a whole",
    "| `not-fetched`",
    "## newgroup",
    "| `newgroup.thing`",
  ]);
});

test("a row says everything the table knows, and nothing in it breaks the Markdown", () => {
  expect(page).toContain(
    "| `xml.stray-lt` | warning | A &lt;loc> with a \\| in it | the document is invalid | [spec](https://www.w3.org/TR/xml/) |\n",
  );
  expect(page).toContain("| `url.relative` | info | Relative | the entry is dropped |  |\n");
});

test("the slim form has a group of errors, and each exception in the set of its severity", () => {
  const slim = issueCodes({
    "http.dns": { severity: "error", message: "a" },
    "http.tls": { severity: "error", message: "b" },
    "http.retry": { severity: "info", message: "c" },
    "http.partial": { severity: "warning", message: "f" },
    "http.timeout": { severity: "error", message: "g" },
    "url.relative": { severity: "warning", message: "d", strict: "drop" },
    filtered: { severity: "info", message: "e", rejects: true },
  });
  expect(slim).toContain('errors: ReadonlySet<string> = new Set([\n  "http",\n])');
  expect(slim).toContain('warnings: ReadonlySet<string> = new Set([\n  "http.partial",\n])');
  expect(slim).toContain('infos: ReadonlySet<string> = new Set([\n  "http.retry", "filtered",\n])');
  expect(slim).toContain('new Set([\n  "url.relative",\n])');
  expect(slim).toContain('refusals = {\n  "filtered": "e",\n}');
});

const limits = {
  depth: {
    default: 11,
    unit: "count",
    scope: "site",
    flag: "maxDepth",
    code: "limit.depth",
    what: "deepest level",
    note: "robots.txt is level 0.",
    stops: "nesting",
  },
  nameBytes: {
    default: 16_664,
    unit: "bytes",
    scope: "value",
    flag: "maxNameBytes",
    what: "bytes of a name",
    stops: "names",
  },
} as const;

test("a limit becomes an option with its sentence and default", () => {
  const options = limitOptions(limits);
  expect(options).toContain(
    "  /** Limit per site: deepest level. robots.txt is level 0. @default 11 */\n  readonly depth?: number | undefined;",
  );
  expect(options).toContain("PARSE_LIMITS: FilledLimits<ParseLimits> = {\n  nameBytes: 16_664,\n};");
});

test("a limit becomes a row of the table of its scope", () => {
  const page = limitPage("a\n<!-- limits: site -->\nold\n<!-- end -->\nb\n", limits);
  expect(page).toContain(
    "\n| `depth` | `--max-depth` | 11 | Deepest level. robots.txt is level 0. | `limit.depth` | nesting |\n<!-- end -->\nb",
  );
  expect(page).not.toMatch(/old|nameBytes/);
});
