/** `siteatlas robots`: what the robots.txt of a site says, and whether a crawler may fetch a URL. */
import { decompress } from "../../decode/inflate.ts";
import { createDeadline, TimeoutError } from "../../fetch/deadline.ts";
import { fetchResource, type Resource } from "../../fetch/fetch-resource.ts";
import { gateOf } from "../../fetch/host-gate.ts";
import { createNodeClient } from "../../fetch/node-client.ts";
import { describeIssue } from "../../issue-texts.ts";
import type { IssueCode } from "../../issues.ts";
import { parseRobotsTxt, type RobotsGroup, type RobotsTxt } from "../../parse/robots.ts";
import { jsonLine } from "../../sinks/json.ts";
import { logLine, logUrl } from "../../sinks/log-line.ts";
import { terminalText } from "../../sinks/terminal.ts";
import { type Breach, breachOf } from "../../walk/budget.ts";
import { reasonOf } from "../../walk/describe.ts";
import { DocumentMeter } from "../../walk/document-meter.ts";
import { DEFAULT_USER_AGENT } from "../../walk/manners.ts";
import { readLimits, type WalkLimits } from "../../walk/options.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Settings } from "../flags.ts";
import type { Command, Run } from "../run.ts";
import { noAnswer } from "../talk/hints.ts";
import { paintFor } from "../talk/style.ts";
import { count, bytes as size } from "../talk/words.ts";
import { readTarget, type Target } from "../target.ts";
import { chooseTextFormat } from "../text-format.ts";
import { UsageError } from "../usage-error.ts";
import { walkOptions } from "../walk-options.ts";
import { endOutput, withTextOutput } from "../whole-output.ts";

/** What the server gave: a text, or nothing because there is none. */
interface Answer {
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
  /** Why there is no more of it. */
  readonly cut?: Breach | { readonly code: IssueCode } | undefined;
}

/** 4xx means that everything is allowed (RFC 9309, section 2.3.1.3). */
function isAbsent(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status < 500;
}

const MAX_SIZE = 5 * 1024 * 1024;

export const robots: Command = async (run) => {
  const { settings, args, talk } = run;
  const format = chooseTextFormat(run);
  const target = readTarget(args[0]!, { ...settings, normalize: false });
  const url = new URL("/robots.txt", target.url).href;
  const answer = await fetchRobots(target, url, run);
  if ("failure" in answer) {
    const { text, hint } = noAnswer(target, answer.failure, settings);
    talk.error(`Cannot read ${logUrl(url)}: ${text}`, hint);
    return EXIT.nothingFound;
  }
  if (isAbsent(answer.status)) talk.say(0, `No robots.txt (${answer.status}): everything is allowed`);
  const content = parseRobotsTxt(answer.text, { url: answer.url, strict: settings.strict ?? false });
  const verdicts = (settings.canFetch ?? []).map((path) => verdictOf(path, content, target, settings));
  return withTextOutput(run, async (output) => {
    if (format !== "text")
      await output.write(`${jsonLine(robotsRecord(target, answer, content, verdicts))}\n`);
    else if (settings.canFetch === undefined) await output.write(robotsText(answer, content, run));
    else for (const verdict of verdicts) await output.write(verdictLine(verdict));
    await endOutput(run, output, true);
    return concludeRobots(answer, run);
  });
};

/** Who reads half a robots.txt must know it. */
function concludeRobots({ url, cut }: Answer, { talk }: Run): ExitCode {
  if (cut === undefined) return EXIT.done;
  talk.warn(`Only the beginning of ${logUrl(url)} was read: ${reasonOf(cut)}`);
  return "value" in cut ? EXIT.limit : EXIT.done;
}

// ---------------------------------------------------------------- the request

async function fetchRobots(
  target: Target,
  url: string,
  { settings, signal }: Run,
): Promise<Answer | { failure: Extract<Resource, { kind: "failed" }> }> {
  const { proxy, allowPrivateNetworks, allow, headers, userAgent, ...options } = walkOptions(settings);
  const limits = readLimits(options.limits);
  const deadline = createDeadline(signal, limits.timeMs, "The request");
  const client = createNodeClient({ proxy, allowPrivateNetworks, allow, homepage: target.url });
  const { origin } = new URL(url);
  try {
    const resource = await fetchResource(url, {
      client,
      gate: gateOf(client),
      rules: () => ({ concurrency: 1, delayMs: 0 }),
      headers: (hop) => ({
        accept: "text/plain, */*;q=0.5",
        "user-agent": userAgent ?? DEFAULT_USER_AGENT,
        ...(hop.origin === origin && headers),
      }),
      limits,
      httpsOnly: options.httpsOnly,
      signal: deadline.signal,
      report: () => {},
      claim: () => true,
    });
    if (resource.kind === "body") return await readAnswer(resource, limits, deadline.signal);
    if (resource.kind === "failed" && !isAbsent(resource.status)) return { failure: resource };
    return {
      url: resource.url,
      status: ("status" in resource && resource.status) || 404,
      bytes: 0,
      text: "",
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

/** Within the same bounds as any document of a walk. */
async function readAnswer(
  resource: Extract<Resource, { kind: "body" }>,
  limits: Required<WalkLimits>,
  signal: AbortSignal,
): Promise<Answer> {
  const { url, status, headers, body, codings, usedBytes } = resource;
  const meter = new DocumentMeter(limits, usedBytes);
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

// ---------------------------------------------------------------- what it says

interface Verdict {
  readonly url: string;
  readonly crawler: string;
  readonly isAllowed: boolean;
}

/**
 * A robots.txt is about its own host (RFC 9309, section 2.3): the one that was asked, or to which that led.
 *
 * @throws {UsageError} for a URL of any other
 */
function verdictOf(path: string, content: RobotsTxt, target: Target, { as }: Settings): Verdict {
  if (!URL.canParse(path, content.url)) throw new UsageError(`--can-fetch "${path}" is not a URL`);
  const asked = new URL(path, content.url);
  const { host, href: url } = asked;
  if (host !== new URL(content.url).host && host !== target.name) {
    throw new UsageError(
      `--can-fetch ${logUrl(url)} is on another host, of which the robots.txt of ${target.name} says nothing`,
      `siteatlas robots ${asked.origin} --can-fetch '${logLine(asked.pathname + asked.search)}'`,
    );
  }
  const crawler = as ?? "siteatlas";
  return { url, crawler, isAllowed: content.isAllowed(url, crawler) };
}

function verdictLine({ url, isAllowed }: Verdict): string {
  return `${isAllowed ? "allowed" : "disallowed"}\t${terminalText(url)}\n`;
}

function robotsRecord(
  { url: site }: Target,
  { url, status, bytes }: Answer,
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

function robotsText(answer: Answer, content: RobotsTxt, { talk }: Run): string {
  const paint = paintFor(talk.color);
  const { groups, sitemaps, issues, issueCount, host } = content;
  const facts = [
    String(answer.status),
    size(answer.bytes),
    count(groups.length, "group"),
    count(sitemaps.length, "sitemap"),
  ];
  const parts = [`${paint("bold", terminalText(answer.url))}  ${paint("dim", facts.join(" · "))}`];
  for (const group of groups) parts.push(groupText(group, (text) => paint("bold", text)));
  if (sitemaps.length > 0) parts.push(section(paint("bold", "Sitemaps"), sitemaps.map(terminalText)));
  if (host !== undefined) parts.push(section(paint("bold", "Host"), [terminalText(host)]));
  if (issueCount > 0) {
    const lines = issues.map(({ code, line, value }) => {
      const where = line === undefined ? "" : `line ${line}: `;
      const shown = value === undefined ? "" : ` «${terminalText(value)}»`;
      return `${where}${describeIssue(code).message}${shown} ${paint("dim", code)}`;
    });
    const rest = issueCount - issues.length;
    if (rest > 0) lines.push(`and ${count(rest, "more", "more")}`);
    parts.push(section(paint("yellow", count(issueCount, "issue")), lines));
  }
  return `${parts.join("\n\n")}\n`;
}

function groupText({ userAgents, rules, crawlDelay }: RobotsGroup, bold: (text: string) => string): string {
  const lines = rules.map(({ allow, path }) => `${allow ? "Allow:   " : "Disallow:"} ${terminalText(path)}`);
  if (crawlDelay !== undefined) lines.push(`Crawl-delay: ${crawlDelay} s`);
  return section(
    bold(`User-agent: ${userAgents.map(terminalText).join(", ")}`),
    lines.length === 0 ? ["no rules"] : lines,
  );
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`.trimEnd())].join("\n");
}
