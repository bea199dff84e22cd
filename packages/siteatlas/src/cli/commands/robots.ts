/** `siteatlas robots`: prints the robots.txt of a site, or whether a crawler may fetch a URL. */

import { decompress } from "../../decode/inflate.ts";
import { jsonLine } from "../../escape/json.ts";
import { logLine, logUrl } from "../../escape/log-line.ts";
import { terminalText } from "../../escape/terminal.ts";
import { basicAuthorization } from "../../fetch/basic-auth.ts";
import { createNodeClient } from "../../fetch/client/node-client.ts";
import { fetchResource, type Resource } from "../../fetch/fetch-resource.ts";
import { readHeaders } from "../../fetch/header-rules.ts";
import { gateOf } from "../../fetch/politeness.ts";
import { createDeadline, TimeoutError } from "../../fetch/timeout-signal.ts";
import { DEFAULT_USER_AGENT } from "../../fetch/user-agent.ts";
import type { FilledLimits } from "../../model/generated/limits.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { describeIssue } from "../../model/issue-table.ts";
import {
  parseRobotsTxt,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
} from "../../parse/robots/robots.ts";
import { decidingRule } from "../../parse/robots/robots-match.ts";
import { type Breach, breachOf } from "../../walk/budget.ts";
import { DocumentLimits } from "../../walk/document/document-limits.ts";
import { reasonOf } from "../../walk/events/sitemap-events.ts";
import { readLimits, type WalkLimits } from "../../walk/options.ts";
import type { Command, Run } from "../command.ts";
import type { Settings } from "../config/flags.ts";
import { readTarget, type Target, targetOptions } from "../config/target.ts";
import { walkOptions } from "../config/walk-options.ts";
import { withLimitFlags } from "../messages/limit-names.ts";
import { noAnswer } from "../messages/no-answer.ts";
import { otherLogin } from "../messages/refusals.ts";
import { chooseTextFormat, outputFile } from "../output/choose-format.ts";
import { drawOptions, endOutput, withTextOutput } from "../output/finish-output.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";
import { drawVerdict } from "../render/draw-verdict.ts";
import { count, lowerFirst, bytes as size, wrapWords } from "../terminal/format-text.ts";
import { paintFor } from "../terminal/style.ts";
import { NetworkNotes } from "../walk/network-notes.ts";
import { checkAllow } from "../walk/walk-sites.ts";

interface RobotsResponse {
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
  /** The authentication that the server requires, if the status is 401. */
  readonly cause?: string | undefined;
  /** Why the text is incomplete. Absent if it is complete. */
  readonly cut?: Breach | { readonly code: IssueCode } | undefined;
}

/** Whether the status is 4xx. A site with such a robots.txt allows everything (RFC 9309, section 2.3.1.3). */
function isClientError(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status < 500;
}

const MAX_SIZE = 5 * 1024 * 1024;

export const robots: Command = async (run) => {
  const { settings, args, reporter } = run;
  const format = chooseTextFormat(run);
  const target = readTarget(args[0]!, { ...settings, normalize: false });
  if (run.given.includes("as") && settings.canFetch === undefined) {
    throw new UsageError("--as needs --can-fetch", "Name a URL or path to test: --can-fetch /admin");
  }
  const url = new URL("/robots.txt", target.url).href;
  const response = await fetchRobots(target, url, run);
  if ("failure" in response) {
    const { text, hint } = noAnswer(target, response.failure, settings);
    reporter.error(text, hint);
    return EXIT.nothingFound;
  }
  if (response.status === 401 || response.status === 403) {
    reporter.warn(
      `the server refuses robots.txt (${response.status}): crawlers take that as "everything is allowed"`,
      otherLogin(response.cause) ??
        "If the site has a password, send it with --auth user:password, or a token with -H.",
    );
  } else if (isClientError(response.status))
    reporter.say(0, `No robots.txt (${response.status}): everything is allowed`);
  const content = parseRobotsTxt(response.text, { url: response.url, strict: settings.strict ?? false });
  const verdicts = (settings.canFetch ?? []).map((path) => verdictOf(path, content, target, settings));
  return withTextOutput(run, async (output) => {
    if (format !== "text")
      await output.write(`${jsonLine(robotsRecord(target, response, content, verdicts))}\n`);
    else if (settings.canFetch === undefined) await output.write(robotsText(response, content, run));
    else for (const verdict of verdicts) await output.write(verdictText(verdict, run));
    await endOutput(run, output);
    if (settings.canFetch !== undefined) warnOfLooseRules(content, run);
    return concludeRobots(response, verdicts, run);
  });
};

/** The verdicts ignore rules before the first User-agent line. The owner of the site may have meant them for all. */
function warnOfLooseRules({ issues }: RobotsTxt, { reporter }: Run): void {
  const loose = issues.filter(
    ({ code, value = "" }) => code === "robots.ignored-line" && /^[^:]*allow/i.test(value),
  );
  for (const { line, value = "" } of loose) {
    reporter.warn(`line ${line}: "${terminalText(value)}" is ignored: no User-agent line is before it`);
  }
}

function concludeRobots(
  { url, cut }: RobotsResponse,
  verdicts: readonly Verdict[],
  { reporter }: Run,
): ExitCode {
  if (cut !== undefined)
    reporter.warn(
      `only the beginning of ${logUrl(url)} was read: ${lowerFirst(withLimitFlags(reasonOf(cut)))}`,
    );
  // A limit has cut the text, so the verdicts may be wrong: a later rule could change them.
  if (cut !== undefined && "value" in cut) return EXIT.limit;
  return verdicts.every(({ isAllowed }) => isAllowed) ? EXIT.done : EXIT.disallowed;
}

// ---------------------------------------------------------------- the request

async function fetchRobots(
  target: Target,
  url: string,
  { settings, signal, reporter }: Run,
): Promise<RobotsResponse | { failure: Extract<Resource, { kind: "failed" }> }> {
  checkAllow(settings.allow);
  const shared = walkOptions(settings);
  const notes = new NetworkNotes(reporter, shared);
  notes.add(target);
  const given = targetOptions(target, shared);
  const { allowPrivateNetworks, allow, headers, userAgent, auth, ...options } = given;
  const limits = readLimits(options.limits);
  const deadline = createDeadline(signal, limits.timeMs, "The request");
  const { origin, hostname } = new URL(url);
  const client = createNodeClient({
    proxy: options.proxy,
    ca: options.ca,
    insecure: options.insecure ? [hostname] : [],
    allowPrivateNetworks,
    allow,
    homepage: target.url,
  });
  try {
    const resource = await fetchResource(url, {
      client,
      gate: gateOf(client),
      onSend: ({ href }) => notes.addRequest(href),
      rules: () => ({ concurrency: 1, delayMs: 0 }),
      headers: (hop) => ({
        accept: "text/plain, */*;q=0.5",
        "user-agent": userAgent ?? DEFAULT_USER_AGENT,
        ...(hop.origin === origin && {
          ...(auth !== undefined && { authorization: basicAuthorization(auth) }),
          ...readHeaders(headers),
        }),
      }),
      limits,
      httpsOnly: options.httpsOnly,
      signal: deadline.signal,
      report: () => {},
    });
    if (resource.kind === "body") return await readBody(resource, limits, deadline.signal);
    if (resource.kind === "failed" && !isClientError(resource.status)) return { failure: resource };
    return {
      url: resource.url,
      status: ("status" in resource && resource.status) || 404,
      bytes: 0,
      text: "",
      cause: resource.kind === "failed" ? resource.cause : undefined,
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof TimeoutError)) throw error;
    const reason = reasonOf(breachOf(limits, "timeMs", limits.timeMs));
    return { failure: { kind: "failed", url, code: "limit.time", reason, connecting: false } };
  } finally {
    deadline.clear();
    await client.close();
  }
}

/** Reads the body of robots.txt, with the same limits as for a sitemap. */
async function readBody(
  resource: Extract<Resource, { kind: "body" }>,
  limits: FilledLimits<WalkLimits>,
  signal: AbortSignal,
): Promise<RobotsResponse> {
  const { url, status, headers, body, codings, usedBytes } = resource;
  const meter = new DocumentLimits(limits, usedBytes);
  const decoder = new TextDecoder();
  let text = "";
  let isDamaged = false;
  const chunks = decompress(body, {
    report() {},
    url,
    contentType: headers["content-type"],
    maxLayers: limits.compressionLayers - codings,
    maxMembers: limits.gzipMembers,
    onInput: meter.takeBytes,
    mayInflate: meter.mayInflate,
    onCut() {
      isDamaged = true;
    },
  });
  for await (const chunk of chunks) {
    for (const piece of meter.pieces(chunk)) text += decoder.decode(piece, { stream: true });
    if (meter.breach !== undefined || text.length > MAX_SIZE) break;
  }
  const code = resource.cut() ?? (isDamaged ? "gzip.truncated" : undefined);
  const wire = code === "limit.bytes" ? breachOf(limits, "wireBytes", resource.bytes()) : undefined;
  const time = signal.aborted ? breachOf(limits, "timeMs", limits.timeMs) : undefined;
  const cut = meter.breach ?? time ?? wire ?? (code === undefined ? undefined : { code });
  return { url, status, bytes: resource.bytes(), text: text + decoder.decode(), cut };
}

// ---------------------------------------------------------------- output

interface Verdict {
  readonly url: string;
  readonly crawler: string;
  readonly isAllowed: boolean;
  /** The rule that decided, with the User-agent lines of its group. Absent if no rule decided. */
  readonly rule?: RobotsRule & Pick<RobotsGroup, "userAgents">;
}

/**
 * Whether a crawler may fetch a URL. A robots.txt applies only to its own host (RFC 9309, section 2.3). After a
 * redirect, it applies to both hosts.
 *
 * @throws {UsageError} for a URL on any other host
 */
function verdictOf(path: string, content: RobotsTxt, target: Target, { as }: Settings): Verdict {
  if (!URL.canParse(path, content.url))
    throw new UsageError(`--can-fetch must be a URL or path, not "${logLine(path, { maxLength: 80 })}"`);
  const asked = new URL(path, content.url);
  const { host, href: url } = asked;
  if (host !== new URL(content.url).host && host !== target.name) {
    throw new UsageError(
      `--can-fetch ${logUrl(url)} is on another host: the robots.txt of ${target.name} does not apply`,
      `Use siteatlas robots ${asked.origin} --can-fetch '${logLine(asked.pathname + asked.search)}'`,
    );
  }
  const crawler = as ?? "siteatlas";
  const isAllowed = content.isAllowed(url, crawler);
  const found = decidingRule(content.groups, asked, crawler);
  // A robots.txt with too many rules allows nothing, whatever the matching rule says. Show a rule only if it decided.
  const rule = found?.allow === isAllowed ? found : undefined;
  const group = rule && content.groups.find(({ rules }) => rules.includes(rule));
  return {
    url,
    crawler,
    isAllowed,
    ...(rule && { rule: { ...rule, userAgents: group?.userAgents ?? [] } }),
  };
}

/** The verdict as three columns with tabs, or drawn for a terminal. */
function verdictText({ url, isAllowed, rule }: Verdict, run: Run): string {
  const why =
    rule === undefined
      ? "no rule matches"
      : `line ${rule.line}: ${ruleText(rule)} (User-agent: ${agentsText(rule)})`;
  const shown = { isAllowed, url: terminalText(url), why };
  if (process.stdout.isTTY && outputFile(run.settings) === undefined) {
    return drawVerdict(shown, drawOptions(run, url));
  }
  return `${isAllowed ? "allowed" : "disallowed"}\t${shown.url}\t${why}\n`;
}

function ruleText({ allow, path }: RobotsRule): string {
  return `${allow ? "Allow" : "Disallow"}: ${terminalText(path)}`;
}

function agentsText({ userAgents }: Pick<RobotsGroup, "userAgents">): string {
  return userAgents.map(terminalText).join(", ");
}

function robotsRecord(
  { url: site }: Target,
  { url, status, bytes }: RobotsResponse,
  content: RobotsTxt,
  verdicts: readonly Verdict[],
): object {
  const { sitemaps, groups, host, cleanParams, issues, issueCount } = content;
  return {
    site,
    url,
    status,
    bytes,
    sitemaps,
    groups,
    host,
    cleanParams,
    issues: issues.map(({ code, severity, line, value }) => ({ code, severity, count: 1, line, value })),
    moreIssues: issueCount - issues.length,
    ...(verdicts.length > 0 && { canFetch: verdicts }),
  };
}

function robotsText(response: RobotsResponse, content: RobotsTxt, run: Run): string {
  const { color, width } = drawOptions(run, response.url);
  const paint = paintFor(color);
  const { groups, sitemaps, issues, issueCount, host } = content;
  const facts = [
    String(response.status),
    size(response.bytes),
    count(groups.length, "group"),
    count(sitemaps.length, "sitemap"),
  ];
  const parts = [`${paint("bold", terminalText(response.url))}  ${paint("dim", facts.join(" · "))}`];
  for (const group of groups) parts.push(groupText(group, (text) => paint("bold", text)));
  if (sitemaps.length > 0) parts.push(section(paint("bold", "Sitemaps"), sitemaps.map(terminalText)));
  if (host !== undefined) parts.push(section(paint("bold", "Host"), [terminalText(host)]));
  if (issueCount > 0) {
    const lines = issues.flatMap(({ code, line, value }) => {
      const where = line === undefined ? "" : `line ${line}: `;
      const shown = value === undefined ? "" : ` "${terminalText(value)}"`;
      const wrapped = wrapWords(`${where}${describeIssue(code).message}${shown} ${code}`, width - 4);
      const last = wrapped.pop()!.slice(0, -code.length) + paint("dim", code);
      return [...wrapped, last].map((text, at) => (at === 0 ? text : `  ${text}`));
    });
    const rest = issueCount - issues.length;
    if (rest > 0) lines.push(`and ${count(rest, "more", "more")}`);
    parts.push(section(paint("yellow", count(issueCount, "issue")), lines));
  }
  return `${parts.join("\n\n")}\n`;
}

function groupText(group: RobotsGroup, bold: (text: string) => string): string {
  const { rules, crawlDelay } = group;
  const lines = rules.map((rule) => ruleText(rule).replace(/^Allow:/, "Allow:   "));
  if (crawlDelay !== undefined) lines.push(`Crawl-delay: ${crawlDelay} s`);
  return section(bold(`User-agent: ${agentsText(group)}`), lines.length === 0 ? ["no rules"] : lines);
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`.trimEnd())].join("\n");
}
