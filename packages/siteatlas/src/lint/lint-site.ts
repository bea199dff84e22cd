/** Lints a site: walks it once and yields what its sitemaps and its robots.txt get wrong. */
import type { OptionRules } from "../check/check-options.ts";
import { callable, DATE, listOf, type Rule, rule, STRING } from "../check/rules.ts";
import { givenUrls, type WalkStart } from "../discover/site-start.ts";
import type { Client } from "../fetch/client/client.ts";
import { checkWalk, WALK_OPTIONS } from "../walk/option-rules.ts";
import type { WalkOptions } from "../walk/options.ts";
import { clientFor, walkInBatches } from "../walk/walk-sitemaps.ts";
import { fileClient, filesIn } from "./documents/folder-client.ts";
import { ResponseRecorder } from "./documents/response-recorder.ts";
import { SiteFolder } from "./documents/site-folder.ts";
import type { Finding } from "./finding.ts";
import { LintRun } from "./lint-run.ts";
import { defineRule, type LintRule, type PreviousSite } from "./rule.ts";
import { activeRules, type RuleSeverities } from "./rule-settings.ts";
import { lintRules } from "./rules/all-rules.ts";

/** Options of `lintSite`, all optional. */
export interface LintOptions extends WalkOptions {
  /** Additional rules, from `defineRule`. @default none */
  readonly rules?: readonly LintRule[] | undefined;
  /**
   * Severities of rules by id: `error`, `warning`, `info` or `off`. `url.*` stands for all rules that start with
   * `url.`. @default the severity of each rule
   */
  readonly severities?: RuleSeverities | undefined;
  /** Returns whether an occurrence is ignored. `value` is usually a URL. @default nothing is ignored */
  readonly ignore?: ((ruleId: string, value: string) => boolean) | undefined;
  /**
   * Reads the files of this folder instead of sending requests. The folder is linted as if it were published at the
   * origin of `start`. Listed pages are looked up in it. Cannot be used with `client`. @default none
   */
  readonly folder?: string | undefined;
  /** An earlier state of the site, for the rules `history.*`. @default none */
  readonly previous?: PreviousSite | undefined;
  /** The current time, for rules about dates. @default new Date() */
  readonly now?: Date | undefined;
}

const RULE = rule<LintRule>(
  "a rule from defineRule",
  (value) => typeof value === "object" && value !== null && typeof (value as LintRule).id === "string",
);

/** The rule for the option `severities`. */
export const SEVERITIES: Rule<RuleSeverities> = rule(
  'an object with severities, such as { "url.tracking": "off" }',
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((one) => /^(?:error|warning|info|off)$/.test(String(one))),
);

const LINT_OPTIONS: OptionRules<LintOptions> = {
  ...WALK_OPTIONS,
  rules: listOf(RULE, "an array of rules"),
  severities: SEVERITIES,
  ignore: callable(),
  folder: STRING,
  previous: rule(
    "an object with pageCount and pages",
    (value) => typeof (value as PreviousSite)?.pages === "function",
  ),
  now: DATE,
};

/**
 * Finds mistakes in the sitemaps and the robots.txt of a site. Yields one finding per rule and document, as soon as the
 * document was read. Pages are not requested. The memory does not grow with the number of findings.
 *
 * @example
 * for await (const { rule, severity, url, count } of lintSite("https://example.com/")) {
 *   console.log(severity, rule, url, count);
 * }
 *
 * @param start a homepage, or `{ sitemaps: [url, …] }`
 */
export function lintSite(start: WalkStart, options: LintOptions = {}): AsyncGenerator<Finding> {
  const site = checkWalk("lintSite", start, options, LINT_OPTIONS as OptionRules<WalkOptions>);
  const run = createLintRun(givenUrls(site)[0]!, options);
  const { folder, client } = options;
  if (folder === undefined) return findingsOf(start, options, run, () => clientFor(site, options));
  if (client !== undefined)
    throw new TypeError("lintSite: options folder and client cannot be used together");
  const files = fileClient(filesIn(folder, new URL(givenUrls(site)[0]!).origin));
  return findingsOf(start, options, run, () => ({ client: files, close: async () => {} }));
}

async function* findingsOf(
  start: WalkStart,
  options: LintOptions,
  { run, recorder }: LintSetup,
  openClient: () => { client: Client; close: () => Promise<void> },
): AsyncGenerator<Finding> {
  const { client, close } = openClient();
  try {
    const {
      rules: _rules,
      severities: _severities,
      ignore: _ignore,
      now: _now,
      folder: _folder,
      previous: _previous,
      ...walk
    } = options;
    const recorded = withClient(walk, recorder.record(client));
    for await (const batch of walkInBatches(start, recorded)) {
      for (const step of batch) {
        options.signal?.throwIfAborted();
        if (step.kind === "pages") run.pages(step.pages, step.sitemapUrl);
        else if (step.kind === "issue") run.issue(step.issue);
        else yield* await run.sitemap(step.sitemap);
      }
    }
    yield* await run.end();
  } finally {
    await close();
  }
}

/** The options of a walk with this client. The options of the client that a walk creates itself are removed. */
export function withClient(options: WalkOptions, client: Client): WalkOptions {
  const { proxy: _p, ca: _c, insecure: _i, allowPrivateNetworks: _n, allow: _a, ...rest } = options;
  return { ...rest, client };
}

export interface LintSetup {
  readonly run: LintRun;
  readonly recorder: ResponseRecorder;
  /** The rules that are on. */
  readonly rules: readonly LintRule[];
}

/** Creates the engine for one site. */
export function createLintRun(
  start: string,
  { rules: own = [], severities = {}, ignore, folder, previous, now = new Date() }: LintOptions,
): LintSetup {
  const taken = own.find(({ id }) => lintRules.some((rule) => rule.id === id));
  if (taken !== undefined) throw new TypeError(`lintSite: ${taken.id} is the id of a built-in rule`);
  const rules = activeRules([...lintRules, ...own.map(defineRule)], severities);
  const recorder = new ResponseRecorder();
  const isIgnored = ignore && ((rule: LintRule, value: string) => ignore(rule.id, value));
  const site = folder === undefined ? undefined : new SiteFolder(folder, new URL(start).origin);
  return {
    run: new LintRun({ start, rules, recorder, now, folder: site, previous, isIgnored }),
    recorder,
    rules,
  };
}
