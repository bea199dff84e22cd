/**
 * The process of docs/process.md as a naive recursion, to compare the walk with: no requests, no concurrency, no
 * shared work. Each place visits its document anew, with its own level, ancestors and results of the filters.
 */
import type { IssueCode } from "../../src/model/issue-severity.ts";

interface ModelChild {
  readonly url: string;
  readonly lastmod?: string;
}

/** The response at one URL. */
export type ModelAnswer =
  | { readonly kind: "pages"; readonly pages: readonly string[] }
  | { readonly kind: "index"; readonly children: readonly ModelChild[] }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "failure"; readonly code: IssueCode; readonly status?: number };

/** The response at a URL that is not in the table: 404. */
export type ModelSite = ReadonlyMap<string, ModelAnswer>;

export interface ModelNode {
  readonly kind: "index" | "pages" | "invalid";
  readonly url: string;
  readonly requestedUrl?: string;
  readonly code?: IssueCode;
  readonly lastmod?: string;
  readonly pages: readonly string[];
  readonly children: readonly ModelNode[];
}

export interface ModelOptions {
  readonly knownUrls: readonly string[];
  readonly depth: number;
  readonly redirects: number;
  readonly keepList?: (urls: readonly string[], level: number, parents: ReadonlySet<string>) => string[];
  readonly keep?: (url: string, level: number, parents: ReadonlySet<string>) => boolean;
}

/** Maximum number of nodes that a test compares. */
export class TooLarge extends Error {}

const MAX_NODES = 2000;
const MISSING: ModelAnswer = { kind: "failure", code: "http.status", status: 404 };

/** The robots.txt of a homepage, or the sitemaps that the caller passes. */
export type ModelStart = { readonly robotsUrl: string } | { readonly given: readonly string[] };

/** The children of the website node. */
export function modelTree(site: ModelSite, start: ModelStart, options: ModelOptions): ModelNode[] {
  const answerAt = (url: string): ModelAnswer => site.get(url) ?? MISSING;
  /** Final URLs of the sitemaps that are in the tree. */
  const shown = new Set<string>();
  let nodeCount = 0;

  /** Follows redirects. Returns the final URL, or the reason for none. */
  function resolve(url: string): { finalUrl: string; code?: IssueCode } {
    const hops = [url];
    for (let answer = answerAt(url); answer.kind === "redirect"; answer = answerAt(answer.to)) {
      if (hops.includes(answer.to)) return { finalUrl: url, code: "http.redirect-loop" };
      if (hops.length > options.redirects) return { finalUrl: url, code: "http.too-many-redirects" };
      hops.push(answer.to);
    }
    return { finalUrl: hops.at(-1)! };
  }

  function visit({ url, lastmod }: ModelChild, level: number, above: readonly string[][]): ModelNode {
    if (++nodeCount > MAX_NODES) throw new TooLarge();
    const dated = lastmod === undefined ? {} : { lastmod };
    const invalid = (code: IssueCode, at: string): ModelNode => ({
      kind: "invalid",
      url: at,
      ...(at !== url && { requestedUrl: url }),
      code,
      ...dated,
      pages: [],
      children: [],
    });
    if (level > options.depth) return invalid("limit.depth", url);
    const { finalUrl, code } = resolve(url);
    if (code !== undefined) return invalid(code, finalUrl);
    if (above.some(([ancestor]) => ancestor === finalUrl)) {
      const listsItself = url === finalUrl && above[0]![0] === finalUrl;
      return invalid(listsItself ? "index.self-reference" : "index.cycle", url);
    }
    const answer = answerAt(finalUrl);
    if (answer.kind === "failure") return invalid(answer.code, finalUrl);
    shown.add(finalUrl);
    const path = [[finalUrl, url], ...above];
    const children = answer.kind === "index" ? kept(answer.children, level, new Set(path.flat())) : [];
    return {
      kind: answer.kind === "index" ? "index" : "pages",
      url: finalUrl,
      ...(finalUrl !== url && { requestedUrl: url }),
      ...dated,
      pages: answer.kind === "pages" ? answer.pages : [],
      children: children.map((child) => visit(child, level + 1, path)),
    };
  }

  /** The first declaration of each child that both filters keep. */
  function kept(declared: readonly ModelChild[], level: number, parents: Set<string>): ModelChild[] {
    const first = declared.filter(({ url }, at) => declared.findIndex((other) => other.url === url) === at);
    const urls = first.map(({ url }) => url);
    const listed = new Set(options.keepList?.(urls, level, parents) ?? urls);
    return first.filter(({ url }) => listed.has(url) && (options.keep?.(url, level, parents) ?? true));
  }

  // A start at given sitemaps has no other documents, and each given sitemap has a node.
  if ("given" in start) return [...new Set(start.given)].map((url) => visit({ url }, 0, []));
  const { robotsUrl } = start;
  const robotsAnswer = answerAt(resolve(robotsUrl).finalUrl);
  const isAbsent = robotsAnswer.kind === "failure" && robotsAnswer.status === 404;
  const roots = isAbsent ? [] : [visit({ url: robotsUrl }, 0, [])];
  const named = robotsAnswer.kind === "index" ? robotsAnswer.children.map(({ url }) => url) : [];
  for (const url of options.knownUrls) {
    const { finalUrl, code } = resolve(url);
    const isFound = code === undefined && answerAt(finalUrl).kind !== "failure";
    if (isFound && !named.includes(url) && !shown.has(finalUrl)) roots.push(visit({ url }, 0, []));
  }
  return roots;
}
