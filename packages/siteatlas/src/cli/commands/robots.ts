/** `siteatlas robots`: what the robots.txt of a site says, and whether a crawler may fetch a URL. */
import { decompress } from "../../decode/inflate.ts";
import { fetchResource, type Resource } from "../../fetch/fetch-resource.ts";
import { gateOf } from "../../fetch/host-gate.ts";
import { createNodeClient } from "../../fetch/node-client.ts";
import { describeIssue } from "../../issue-texts.ts";
import { parseRobotsTxt, type RobotsGroup, type RobotsTxt } from "../../parse/robots.ts";
import { jsonLine } from "../../sinks/json.ts";
import { logUrl } from "../../sinks/log-line.ts";
import { terminalText } from "../../sinks/terminal.ts";
import { readLimits } from "../../walk/options.ts";
import { DEFAULT_USER_AGENT } from "../../walk/walker.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { openTextOutput, type TextOutput } from "../output/text-output.ts";
import type { Command, Run } from "../run.ts";
import { reachHint } from "../talk/hints.ts";
import { paintFor } from "../talk/style.ts";
import { count, bytes as size } from "../talk/words.ts";
import { readTarget, type Target } from "../target.ts";
import { UsageError } from "../usage-error.ts";
import { walkOptions } from "../walk-options.ts";
import { whole } from "../whole-output.ts";

/** What the server gave: a text, or nothing because there is none. */
interface Answer {
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

/** 4xx means that everything is allowed (RFC 9309, section 2.3.1.3). */
function isAbsent(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status < 500;
}

const MAX_SIZE = 5 * 1024 * 1024;

export const robots: Command = async (run) => {
  const { settings, args, talk } = run;
  const target = readTarget(args[0]!, false);
  const url = new URL("/robots.txt", target.url).href;
  const answer = await fetchRobots(target, url, run);
  if ("failure" in answer) {
    talk.error(
      `Cannot read ${logUrl(url)}: ${answer.failure.reason}`,
      reachHint(target, answer.failure.code),
    );
    return EXIT.nothingFound;
  }
  if (isAbsent(answer.status)) talk.say(0, `No robots.txt (${answer.status}): everything is allowed`);
  const content = parseRobotsTxt(answer.text, { url: answer.url, strict: settings.strict ?? false });
  const output = await openTextOutput({});
  return whole(output, async () => {
    await write(output, answer, content, run);
    await output.end();
    return EXIT.done as ExitCode;
  });
};

async function write(output: TextOutput, answer: Answer, content: RobotsTxt, run: Run): Promise<void> {
  const { canFetch, json } = run.settings;
  const verdicts = (canFetch ?? []).map((path) => verdictOf(path, content, run));
  if (json) await output.write(`${jsonLine(robotsRecord(answer, content, verdicts))}\n`);
  else if (canFetch !== undefined) {
    for (const { url, isAllowed } of verdicts) {
      await output.write(`${isAllowed ? "allowed" : "disallowed"}\t${terminalText(url)}\n`);
    }
  } else await output.write(robotsText(answer, content, run));
}

// ---------------------------------------------------------------- the request

async function fetchRobots(
  target: Target,
  url: string,
  { settings, signal }: Run,
): Promise<Answer | { failure: Extract<Resource, { kind: "failed" }> }> {
  const { proxy, allowPrivateNetworks, allow, limits, headers, userAgent } = walkOptions(settings);
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
      limits: readLimits(limits),
      signal,
      report: () => {},
      claim: () => true,
    });
    if (resource.kind === "body") return await readAnswer(resource);
    if (resource.kind === "failed" && !isAbsent(resource.status)) return { failure: resource };
    return {
      url: resource.url,
      status: ("status" in resource && resource.status) || 404,
      bytes: 0,
      text: "",
    };
  } finally {
    await client.close();
  }
}

async function readAnswer(resource: Extract<Resource, { kind: "body" }>): Promise<Answer> {
  const { url, status, body } = resource;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of decompress(body, { report() {}, url, onCut() {} })) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_SIZE) break;
  }
  return { url, status, bytes: resource.bytes(), text: text + decoder.decode() };
}

// ---------------------------------------------------------------- what it says

interface Verdict {
  readonly url: string;
  readonly crawler: string;
  readonly isAllowed: boolean;
}

function verdictOf(path: string, content: RobotsTxt, { settings }: Run): Verdict {
  const { as: crawler = "siteatlas" } = settings;
  if (!URL.canParse(path, content.url)) throw new UsageError(`--can-fetch "${path}" is not a URL`);
  const { href: url } = new URL(path, content.url);
  return { url, crawler, isAllowed: content.isAllowed(url, crawler) };
}

function robotsRecord(answer: Answer, content: RobotsTxt, verdicts: readonly Verdict[]): object {
  const { url, status, bytes } = answer;
  const { sitemaps, groups, host, cleanParams, issues } = content;
  return {
    url,
    status,
    bytes,
    sitemaps,
    groups,
    host,
    cleanParams,
    issues: issues.map(({ code, line, value }) => ({ code, line, value })),
    ...(verdicts.length > 0 && {
      canFetch: verdicts.map(({ url: asked, crawler, isAllowed }) => ({ url: asked, crawler, isAllowed })),
    }),
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
