/**
 * Finds out which sites to read, from the arguments of the command line or the lines of stdin. `example.com` means
 * `https://example.com/`. The URL of a sitemap means only that sitemap.
 */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { readHomepageUrl } from "../../discover/homepage-url.ts";
import type { WalkStart } from "../../discover/site-start.ts";
import { logLine } from "../../escape/log-line.ts";
import { maskNoSite } from "../../escape/userinfo.ts";
import { credentialsIn } from "../../fetch/basic-auth.ts";
import { isBlockedLiteral } from "../../fetch/guard/address-policy.ts";
import { UrlSet } from "../../parse/fast/seen-urls.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Settings } from "./flags.ts";
import { isLocalPath, notASite, SITEMAP_FILE } from "./local-files.ts";
import { MAX_LINE, splitLines } from "./stdin-lines.ts";

export interface Target {
  /** The host as messages show it, with its port if it has one. */
  readonly name: string;
  readonly url: string;
  /** Whether `https://` was added, because the user gave no scheme. */
  readonly isCompleted: boolean;
  /** The credentials in the URL that the user gave, as `user:password`. `url` does not contain them. */
  readonly auth?: string;
  /** Path and query of the sitemap, if the user gave the URL of a sitemap. Then only this sitemap is read. */
  readonly sitemapPath?: string;
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
const MAX_SHOWN = 100;
/** Maximum length of a host name (RFC 1035 section 2.3.4), including a final dot. */
const MAX_HOST = 254;
export const EMPTY_STDIN = "stdin is empty: expected one host or URL per line";
const HINT = "Use a host or URL, such as example.com or https://example.com/.";

/**
 * A hint for a text that is not a URL. The usual reason is a password with a character that must be percent-encoded,
 * such as `#`.
 */
function hintFor(text: string): string {
  return /:[^@]*[\s/?#\\][^@]*@/.test(text.replace(SCHEME, ""))
    ? "Percent-encode the characters / ? # \\ and spaces in the password (# is %23), or use --auth user:password."
    : HINT;
}

type TargetSettings = Pick<
  Settings,
  "normalize" | "httpsOnly" | "auth" | "authFile" | "header" | "allow" | "allowPrivate"
>;

/** Parses a site. @throws {UsageError} if it is not an http or https URL, and for http with `--https-only` */
export function readTarget(text: string, settings: TargetSettings = {}): Target {
  const { normalize = true, httpsOnly = false } = settings;
  const trimmed = text.trim();
  const isCompleted = !SCHEME.test(trimmed);
  const given = isCompleted ? `https://${trimmed.replace(/^\/+/, "")}` : trimmed;
  const shown = `"${logLine(maskNoSite(trimmed), { maxLength: MAX_SHOWN })}"`;
  if (isLocalPath(trimmed)) throw notASite(trimmed);
  // If `https://` were added to a path or a sentence, the result could be a valid URL. So reject such texts first.
  if (trimmed === "" || /\s/.test(trimmed) || (isCompleted && /^[./@-]/.test(trimmed))) {
    throw new UsageError(`${shown} is not a URL`, hintFor(trimmed));
  }
  let url: URL;
  try {
    url = readHomepageUrl(given, { normalize: false });
  } catch {
    const why = URL.canParse(given) ? "is not an http or https URL" : "is not a URL";
    throw new UsageError(`${shown} ${why}`, hintFor(trimmed));
  }
  if (url.hostname.length > MAX_HOST) {
    throw new UsageError(`the host of ${shown} has more than 253 characters`, HINT);
  }
  if (httpsOnly && url.protocol === "http:") {
    throw new UsageError(`${shown} uses plain http`, "Allow that by removing --https-only.");
  }
  const auth = credentialsIn(new URL(given));
  if (auth !== undefined && settings.header?.some(([name]) => name === "authorization")) {
    throw new UsageError("the URL and -H 'Authorization: …' both name credentials", "Remove one of them.");
  }
  const isSitemap = normalize && SITEMAP_FILE.test(url.pathname) && !isRobotsUrl(url.href);
  return {
    name: url.host,
    url: url.href,
    isCompleted,
    ...(auth !== undefined && { auth }),
    ...(isSitemap && { sitemapPath: url.pathname + url.search }),
  };
}

/** Where the walk of a site starts: at its homepage, or at the sitemap that the user gave. */
export function startOf({ url, sitemapPath }: Target): WalkStart {
  return sitemapPath === undefined ? url : { sitemaps: [url] };
}

/** The walk options for one site. Credentials in its URL are sent only to this site. They replace those of --auth. */
export function targetOptions({ auth }: Target, options: WalkOptions): WalkOptions {
  return auth === undefined ? options : { ...options, auth };
}

/** A site as the user typed it, without user name and password. */
export function withoutCredentials(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)?[^/?#]*@/i, "$1");
}

/** A site, or a line of a list that is not a site. `isBlocked`: the line has a private address that is not allowed. */
export type TargetLine =
  | { readonly target: Target }
  | { readonly problem: UsageError; readonly isBlocked: boolean };

/**
 * Yields all sites to read, each once: `example.com` and `https://example.com/about` are the same site. `-` reads the
 * lines of stdin. Blank lines and lines that start with `#` are skipped.
 *
 * An invalid argument throws immediately. An invalid line on stdin is yielded as a problem, and reading continues. If
 * the settings have credentials, stdin is read to its end before the first site is yielded, because the credentials
 * must not be sent to a second site.
 *
 * `hosts` is a file with more lines, which are read like those of stdin.
 *
 * An argument may be a private address, because the user typed it. A line must not be a private address, unless
 * `--allow` or `--allow-private` allows it. Other people may have written the list, and siteatlas must not read
 * services of this machine or its network for them.
 */
export function readTargets(
  args: readonly string[],
  settings: TargetSettings & Pick<Settings, "hosts">,
  signal: AbortSignal,
): AsyncGenerator<TargetLine> {
  if (args.filter((arg) => arg === "-").length > 1) throw new UsageError("stdin (-) can be read only once");
  const targets = args.map((arg) => (arg === "-" ? undefined : readTarget(arg, settings)));
  return (async function* () {
    // The sites that were yielded. The set takes at most 4 MiB, so a site in a very long list may be yielded twice.
    const seen = new UrlSet("");
    const lines = async function* (): AsyncGenerator<TargetLine> {
      for (const target of targets) {
        if (target !== undefined) yield { target };
        else yield* readStdin(settings, signal);
      }
      if (settings.hosts !== undefined) yield* readHostsFile(settings.hosts, settings, signal);
    };
    const distinct = async function* (): AsyncGenerator<TargetLine> {
      for await (const line of lines()) {
        if ("problem" in line || seen.add(targetKey(line.target, settings))) yield line;
      }
    };
    yield* hasCredentials(settings) ? checkedLines(distinct()) : distinct();
  })();
}

/** Whether the settings contain credentials. Credentials in a URL do not count. */
function hasCredentials({ auth, authFile, header = [] }: TargetSettings): boolean {
  return (auth ?? authFile) !== undefined || header.some(([name]) => name === "authorization");
}

/**
 * Holds back the sites until stdin has ended, to check that they have only one origin. Problems are yielded
 * immediately, because a list may have millions of them.
 *
 * @throws {UsageError} if the credentials of the settings would be sent to several origins
 */
async function* checkedLines(lines: AsyncIterable<TargetLine>): AsyncGenerator<TargetLine> {
  const all: TargetLine[] = [];
  const origins = new Set<string>();
  for await (const line of lines) {
    if ("problem" in line) {
      yield line;
      continue;
    }
    all.push(line);
    if (line.target.auth === undefined) origins.add(new URL(line.target.url).origin);
    if (origins.size < 2) continue;
    throw new UsageError(
      `the same credentials cannot be sent to several sites: ${[...origins].join(" and ")}`,
      "Run one command per site, or put them into each URL: https://user:password@host/",
    );
  }
  yield* all;
}

/** A key that is equal for two URLs of the same site. */
function targetKey({ url, sitemapPath }: Target, { normalize = true }: TargetSettings): string {
  return sitemapPath === undefined ? readHomepageUrl(url, { normalize }).href : url;
}

function readStdin(settings: TargetSettings, signal: AbortSignal): AsyncGenerator<TargetLine> {
  return readStream(process.stdin.setEncoding("utf8"), "stdin", settings, signal);
}

function readHostsFile(
  path: string,
  settings: TargetSettings,
  signal: AbortSignal,
): AsyncGenerator<TargetLine> {
  const name = logLine(path, { maxLength: MAX_SHOWN });
  return readStream(createReadStream(path, "utf8"), name, settings, signal);
}

/** Reads until the stream ends. After an abort, throws its reason: a stream that is left open may never end. */
async function* readStream(
  stream: Readable,
  name: string,
  settings: TargetSettings,
  signal: AbortSignal,
): AsyncGenerator<TargetLine> {
  const close = (): void => void stream.destroy();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    yield* readLines(stream, name, settings);
  } catch (error) {
    if (!signal.aborted) throw new UsageError(`cannot read ${name}: ${systemReason(error)}`);
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
  signal.throwIfAborted();
}

/** Skips blank lines, and lines that start with `#`. */
async function* readLines(
  chunks: AsyncIterable<string>,
  source: string,
  settings: TargetSettings,
): AsyncGenerator<TargetLine> {
  let number = 0;
  for await (const line of splitLines(chunks)) {
    number++;
    const text = line?.trim();
    if (text === "" || text?.startsWith("#")) continue;
    yield readLine(text, `${source}, line ${number}`, settings);
  }
}

/** Parses a line of a list. @param text undefined if the line is too long */
function readLine(text: string | undefined, place: string, settings: TargetSettings): TargetLine {
  const problem = (why: string, isBlocked = false): TargetLine => ({
    problem: new UsageError(`${place}: ${why}`),
    isBlocked,
  });
  if (text === undefined) return problem(`the line has more than ${MAX_LINE} characters`);
  try {
    const target = readTarget(text, settings);
    const { allow, allowPrivate: allowPrivateNetworks } = settings;
    if (!isBlockedLiteral(target.url, { allow, allowPrivateNetworks })) return { target };
    const { name } = target;
    return problem(`${name} is a private address. Allow it with --allow ${name} or --allow-private`, true);
  } catch (error) {
    return problem((error as Error).message);
  }
}
