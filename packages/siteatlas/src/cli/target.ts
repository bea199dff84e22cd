/**
 * What a walk starts from: the arguments of the command line, or the lines of stdin. People type
 * `example.com` and mean `https://example.com/`; who names a sitemap means this one.
 */
import { createInterface } from "node:readline";
import { readHomepageUrl } from "../discover/homepage-url.ts";
import { logLine } from "../sinks/log-line.ts";
import type { WalkOptions } from "../walk/options.ts";
import type { Settings } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

export interface Target {
  /** For messages: host, and port if there is one. */
  readonly name: string;
  /** As given, with its scheme. */
  readonly url: string;
  /** The scheme was ours. */
  readonly isCompleted: boolean;
  /** The path of the one sitemap that is meant, instead of a site. */
  readonly sitemapPath?: string;
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
const SITEMAP_FILE = /\.(?:xml|txt|rss|atom|rdf)(?:\.gz)?$|\.gz$/i;
/** As much of a line as a message repeats. */
const MAX_SHOWN = 100;

/** Which URLs are taken, and as what. */
export type TargetSettings = Pick<Settings, "normalize" | "httpsOnly">;

/** @throws {UsageError} for what is no http or https URL, or is not to be requested */
export function readTarget(text: string, settings: TargetSettings = {}): Target {
  const { normalize = true, httpsOnly = false } = settings;
  const trimmed = text.trim();
  const isCompleted = !SCHEME.test(trimmed);
  const given = isCompleted ? `https://${trimmed.replace(/^\/+/, "")}` : trimmed;
  const shown = `"${logLine(trimmed, { maxLength: MAX_SHOWN })}"`;
  // A path or a sentence is no host, though a URL can be made of it.
  if (trimmed === "" || /\s/.test(trimmed) || (isCompleted && /^[./@-]/.test(trimmed))) {
    throw new UsageError(`${shown} is not a URL`, "Such as example.com or https://example.com/");
  }
  let url: URL;
  try {
    url = readHomepageUrl(given, { normalize: false });
  } catch {
    const why = URL.canParse(given) ? "is not an http or https URL" : "is not a URL";
    throw new UsageError(`${shown} ${why}`, "Such as example.com or https://example.com/");
  }
  if (httpsOnly && url.protocol === "http:") {
    throw new UsageError(`${shown} is not https`, "--https-only requests nothing over plain http");
  }
  const isSitemap = normalize && SITEMAP_FILE.test(url.pathname) && !url.pathname.endsWith("/robots.txt");
  return {
    name: url.host,
    url: url.href,
    isCompleted,
    ...(isSitemap && { sitemapPath: url.pathname + url.search }),
  };
}

/** How to walk it: a site as the settings say; one sitemap without looking for others. */
export function targetOptions(target: Target, options: WalkOptions): WalkOptions {
  if (target.sitemapPath === undefined) return options;
  return {
    ...options,
    useRobots: options.respectRobots === true,
    useKnownPaths: false,
    useHomepageLinks: false,
    extraKnownPaths: [target.sitemapPath],
  };
}

export type TargetLine = { readonly target: Target } | { readonly problem: UsageError };

/**
 * All targets, in order; `-` stands for the lines of stdin, blank lines and those that start with `#` aside.
 * What is wrong on the command line is thrown before anything is done; what is wrong on stdin is given out,
 * and the work goes on.
 */
export function readTargets(
  args: readonly string[],
  settings: TargetSettings,
  signal: AbortSignal,
): AsyncGenerator<TargetLine> {
  if (args.filter((arg) => arg === "-").length > 1) throw new UsageError("stdin (-) can be read once only");
  const targets = args.map((arg) => (arg === "-" ? undefined : readTarget(arg, settings)));
  return (async function* () {
    for (const target of targets) {
      if (target !== undefined) yield { target };
      else yield* linesOfStdin(settings, signal);
    }
  })();
}

async function* linesOfStdin(settings: TargetSettings, signal: AbortSignal): AsyncGenerator<TargetLine> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const close = (): void => lines.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    let number = 0;
    for await (const line of lines) {
      number++;
      const text = line.trim();
      if (text === "" || text.startsWith("#")) continue;
      yield readLine(text, number, settings);
    }
  } finally {
    signal.removeEventListener("abort", close);
    process.stdin.destroy();
  }
}

function readLine(text: string, number: number, settings: TargetSettings): TargetLine {
  try {
    return { target: readTarget(text, settings) };
  } catch (error) {
    return { problem: new UsageError(`stdin, line ${number}: ${(error as Error).message}`) };
  }
}
