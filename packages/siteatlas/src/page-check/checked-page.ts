/** The facts about one page that was checked. Rules judge these facts, and the state file keeps them. */

/** A page that a check requests, with what its sitemap says about it. */
export interface PageToCheck {
  /** The absolute URL. */
  readonly url: string;
  /** `<lastmod>`, as precise as declared: `2026-11-17`, or with a time. */
  readonly lastModified?: string;
  /** URL of the sitemap that lists the page. */
  readonly sitemapUrl?: string;
  /** The language links of the sitemap. */
  readonly alternates?: readonly LanguageLink[];
}

/** A link to the page in another language. */
export interface LanguageLink {
  /** The language, in lower case: `en`, `de-at` or `x-default`. */
  readonly language: string;
  /** The absolute URL. */
  readonly url: string;
}

/** The facts of an HTML page. Texts are cut to 200 characters. */
export interface PageHtml {
  /** Whether `<meta name="robots">` forbids indexing. */
  readonly isNoindex: boolean;
  /** The href of the first `<link rel="canonical">`, as written. */
  readonly canonical?: string;
  /** The hrefs of all `<link rel="canonical">`, as absolute URLs: at most 5. */
  readonly canonicals: readonly string[];
  /** Whether the canonical URL is written as an absolute URL. Absent without a canonical URL. */
  readonly isCanonicalAbsolute?: boolean;
  /** The language links, and those of the header Link: at most 200. */
  readonly alternates: readonly LanguageLink[];
  /** The content of `<title>`. */
  readonly title?: string;
  /** The content of the first `<h1>`. */
  readonly heading?: string;
  /** The attribute `lang` of `<html>`. */
  readonly language?: string;
  /** The content of `<meta name="robots">`. Several are joined with commas. */
  readonly robots?: string;
  /** The content of `<meta http-equiv="refresh">`. */
  readonly refresh?: string;
  /** The date of `article:modified_time`, or `dateModified` of JSON-LD. */
  readonly modified?: string;
  /** Set if the page is an AMP page. */
  readonly isAmp?: true;
  /** Set if the page has a field for a password. */
  readonly asksForPassword?: true;
  /**
   * Set if only a part of the page was read: the page is longer than 128 KiB, or the response ended early. `head`: the
   * body had not started, so that links and the title may be missing. `body`: only text may be missing.
   */
  readonly cutIn?: "head" | "body";
  /** Number of words in the part that was read. */
  readonly words: number;
  /** A hash of the text. */
  readonly textHash: string;
}

/** A redirect that was followed. */
export interface PageRedirect {
  /** The HTTP status: 301, 302, 303, 307 or 308. */
  readonly status: number;
  /** The target. */
  readonly url: string;
}

/**
 * `answered`: the server sent a response. `failed`: there was no response. `disallowed`: robots.txt disallows the page,
 * or robots.txt could not be read, so that the page was not requested. `skipped`: the page was not requested because
 * of an option: `crossHost`, `httpsOnly`, a limit, or a private address that is not allowed.
 */
export type PageOutcome = "answered" | "failed" | "disallowed" | "skipped";

/** A page that was checked. */
export interface CheckedPage extends PageToCheck {
  /** What happened. */
  readonly outcome: PageOutcome;
  /** When the page was checked, in ISO 8601. */
  readonly checkedAt: string;
  /** The redirects, in order. */
  readonly redirects: readonly PageRedirect[];
  /** The HTTP status of the last response. */
  readonly status?: number;
  /**
   * An issue code if there was no response, such as `http.dns`, if it ended early, or if the redirects did not end.
   * `robots.unread` if robots.txt could not be read. For a page that was skipped, the reason as a code, such as
   * `url.cross-host` or `http.blocked-address`.
   */
  readonly code?: string;
  /** Why there was no response, or no complete one, or why the page was not requested. */
  readonly reason?: string;
  /** Time from the last request to the headers of its response, in milliseconds. */
  readonly ms?: number;
  /** The header Content-Type. */
  readonly contentType?: string;
  /** The header Content-Length, or the number of bytes if the whole body was read. */
  readonly length?: number;
  /** The header X-Robots-Tag. */
  readonly robotsTag?: string;
  /** The header Last-Modified. */
  readonly modifiedHeader?: string;
  /** URLs of `rel="canonical"` in the header Link. */
  readonly canonicalHeader?: string;
  /** What the HTML says. Absent if the page is not HTML, and if only its headers were requested. */
  readonly html?: PageHtml;
  /** Set if the server sends the same text for a URL that does not exist. */
  readonly isErrorPage?: true;
}

/** URL of the last response. */
export function finalUrl({ url, redirects }: Pick<CheckedPage, "url" | "redirects">): string {
  return redirects.at(-1)?.url ?? url;
}

/** Whether the server sent the page, after redirects or directly. */
export function isAlive({ status = 0 }: CheckedPage): boolean {
  return status >= 200 && status < 300;
}
