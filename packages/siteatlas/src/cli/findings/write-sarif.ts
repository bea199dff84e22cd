/** Findings as SARIF 2.1.0, for GitHub code scanning and other tools: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { sha256Hex } from "../../escape/sha256.ts";
import type { FindingGroup, GroupExample } from "../../lint/group-findings.ts";
import type { Severity } from "../../model/issue-severity.ts";
import type { FindingsReport } from "./findings-report.ts";

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

export function findingsSarif({ groups, version, tool }: FindingsReport): string {
  const rules = groups.map(({ rule, severity }) => ({
    id: rule.id,
    shortDescription: { text: `${rule.message}.` },
    fullDescription: { text: rule.why },
    help: { text: rule.fix },
    ...(rule.source !== "" && { helpUri: rule.source }),
    defaultConfiguration: { level: LEVELS[severity] },
  }));
  const driver = {
    name: `siteatlas ${tool}`,
    version,
    informationUri: "https://github.com/siteatlas/siteatlas",
    rules,
  };
  const results = groups.flatMap((group, ruleIndex) =>
    group.examples.map((example) => resultOf(group, ruleIndex, example)),
  );
  const value = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function resultOf({ rule, severity }: FindingGroup, ruleIndex: number, example: GroupExample): object {
  const { line, column, value, detail, excerpt } = example;
  const more = [value, detail].filter((part) => part !== undefined).join(": ");
  const region = line !== undefined && {
    region: {
      startLine: line,
      ...(column !== undefined && { startColumn: column }),
      ...(excerpt !== undefined && { snippet: { text: excerpt.text } }),
    },
  };
  const uri = uriOf(example);
  return {
    ruleId: rule.id,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: `${rule.message}${more === "" ? "" : `: ${more}`}. ${rule.fix}` },
    locations: [{ physicalLocation: { artifactLocation: { uri }, ...region } }],
    // Stays the same if lines are added above.
    partialFingerprints: { "siteatlas/v1": sha256Hex([rule.id, uri, value ?? ""].join("\n")).slice(0, 32) },
  };
}

/** The path of a file relative to the current directory, as code scanning expects it, or the URL of the document. */
function uriOf({ file, url }: GroupExample): string {
  if (file === undefined) return url;
  const path = relative(process.cwd(), file);
  if (path.startsWith("..") || isAbsolute(path)) return pathToFileURL(file).href;
  return path.split(sep).map(encodeURIComponent).join("/");
}
