/** Rules about the HTTP response of a page. */
import { GOOGLE_CRAWLER, GOOGLE_HTTP, RFC_6890, RFC_9110, RFC_9309 } from "../../lint/rules/sources.ts";
import { isAbsent } from "../../model/http-status.ts";
import { type CheckedPage, isAlive } from "../checked-page.ts";
import type { PageRule } from "../page-rule.ts";
import { pageProblem } from "./page-problem.ts";

const SLOW_MS = 5000;
/** Google reads the first 15 MB of a page. */
const LARGE_BYTES = 15 * 1000 * 1000;

const LOGIN_STATUSES: ReadonlySet<number | undefined> = new Set([401, 403, 407]);

/** Codes of pages without a response that other rules report. */
const OTHER_FAILURES: ReadonlySet<string> = new Set([
  "http.timeout",
  "http.tls",
  "http.bad-redirect",
  "http.redirect-scheme",
]);

/** Codes of pages whose host is private, or whose port belongs to another protocol. */
const BLOCKED: ReadonlySet<string> = new Set(["http.blocked-address", "http.blocked-port"]);

/** Codes of responses that ended early. */
const INCOMPLETE: ReadonlySet<string> = new Set([
  "http.truncated",
  "http.protocol",
  "http.bad-content-encoding",
  "gzip.truncated",
]);

/** The status of the last response, as text, if it is in the hundred from `from` on. */
function statusText({ status = 0, outcome }: CheckedPage, from: number): string | undefined {
  return outcome === "answered" && status >= from && status < from + 100 ? `status ${status}` : undefined;
}

export const responseRules: readonly PageRule[] = [
  pageProblem(
    {
      id: "page.not-found",
      severity: "error",
      message: "A listed page does not exist",
      why: "Search engines report the page as broken, and trust the sitemap less.",
      fix: "Remove the page from the sitemap, restore it, or list the page that replaces it.",
      source: GOOGLE_HTTP,
    },
    (page) => (isAbsent(page.status ?? 0) ? statusText(page, 400) : undefined),
  ),
  pageProblem(
    {
      id: "page.login",
      severity: "error",
      message: "A listed page needs a login",
      why: "Search engines have no login. They cannot read the page.",
      fix: "Remove the page from the sitemap, or allow requests without a login. Check that no firewall blocks unknown crawlers.",
      source: GOOGLE_HTTP,
    },
    (page) => (LOGIN_STATUSES.has(page.status) ? statusText(page, 400) : undefined),
  ),
  pageProblem(
    {
      id: "page.rate-limit",
      severity: "info",
      message: "The server refuses a page because of too many requests",
      why: "The state of the page is unknown. Search engines also slow down if they see this status.",
      fix: "Check again with fewer requests: --concurrency 1 --delay 1s.",
      source: GOOGLE_HTTP,
    },
    ({ status }) => (status === 429 ? "status 429" : undefined),
  ),
  pageProblem(
    {
      id: "page.status-4xx",
      severity: "error",
      message: "The server refuses a listed page",
      why: "Search engines remove pages with this status from their index.",
      fix: "Remove the page from the sitemap, or correct the server.",
      source: GOOGLE_HTTP,
    },
    (page) =>
      isAbsent(page.status ?? 0) || LOGIN_STATUSES.has(page.status) || page.status === 429
        ? undefined
        : statusText(page, 400),
  ),
  pageProblem(
    {
      id: "page.status-5xx",
      severity: "error",
      message: "The server has an error at a listed page",
      why: "Search engines request the site more slowly, and drop the page if the error stays.",
      fix: "Look into the log of the server, and correct the error.",
      source: GOOGLE_HTTP,
    },
    (page) => statusText(page, 500),
  ),
  pageProblem(
    {
      id: "page.status-unusual",
      severity: "warning",
      message: "A listed page has an unusual status",
      why: "Only status 200 says that the response is the page.",
      fix: "Answer requests for the page with status 200.",
      source: `${RFC_9110}#section-15`,
    },
    ({ status = 200, outcome, redirects }) => {
      // HTTP has no status above 599. Some firewalls send 999.
      const isUnusual = status >= 600 || (status !== 200 && status < 400 && redirects.length === 0);
      return outcome === "answered" && isUnusual ? `status ${status}` : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.timeout",
      severity: "error",
      message: "The server does not answer in time",
      why: "Search engines give up after some seconds, and request the site more slowly.",
      fix: "Find out what makes the page slow.",
      source: GOOGLE_HTTP,
    },
    ({ code, reason = "" }) => (code === "http.timeout" ? reason : undefined),
  ),
  pageProblem(
    {
      id: "page.incomplete",
      severity: "warning",
      message: "The response of a listed page is not complete",
      why: "Browsers and search engines may get only a part of the page, or nothing.",
      fix: "Check the headers Content-Length and Content-Encoding, and what ends the connection.",
      source: `${RFC_9110}#section-8.6`,
    },
    ({ outcome, code = "", reason = "" }) =>
      outcome === "answered" && INCOMPLETE.has(code) ? reason : undefined,
  ),
  pageProblem(
    {
      id: "page.certificate",
      severity: "error",
      message: "The certificate of a listed page is not valid",
      why: "Browsers show a warning instead of the page.",
      fix: "Install a valid certificate for this host name, with its intermediate certificates.",
      source: GOOGLE_HTTP,
    },
    ({ code, reason = "" }) => (code === "http.tls" ? reason : undefined),
  ),
  pageProblem(
    {
      id: "page.unreachable",
      severity: "error",
      message: "The server of a listed page cannot be reached",
      why: "Search engines cannot read the page.",
      fix: "Check the host name and the port in the URL, and whether the server runs.",
      source: GOOGLE_HTTP,
    },
    ({ outcome, code = "", reason = "" }) =>
      outcome === "failed" && !OTHER_FAILURES.has(code) ? reason : undefined,
  ),
  pageProblem(
    {
      id: "page.robots-disallowed",
      severity: "error",
      message: "robots.txt disallows a listed page",
      why: "The sitemap asks search engines to read the page, and robots.txt forbids it. The page was not checked.",
      fix: "Remove the page from the sitemap, or allow it in robots.txt.",
      source: `${RFC_9309}#section-2.2.2`,
    },
    ({ outcome, code }) => (outcome === "disallowed" && code === undefined ? "not requested" : undefined),
  ),
  pageProblem(
    {
      id: "page.robots-unread",
      severity: "error",
      message: "robots.txt cannot be read, so a listed page was not requested",
      why: "Search engines do not request any page of a site while its robots.txt has an error.",
      fix: "Answer requests for robots.txt with status 200 or 404.",
      source: `${RFC_9309}#section-2.3.1.4`,
    },
    ({ outcome, code, reason = "" }) => (outcome === "disallowed" && code !== undefined ? reason : undefined),
  ),
  {
    id: "page.private-host",
    severity: "error",
    message: "A listed page is on a private host or a reserved port, so it was not requested",
    why: "Search engines cannot reach such a host. siteatlas requests it only if you allow it, because the list may be untrusted.",
    fix: "If the host is yours, allow it with --allow HOST, or allow all private hosts with --allow-private.",
    source: RFC_6890,
    counts: "site",
    listen: ({ report }) => {
      const hosts = new Set<string>();
      return {
        page: ({ url, code = "" }) => {
          const { host } = new URL(url);
          if (!BLOCKED.has(code) || hosts.has(host)) return;
          hosts.add(host);
          report({ detail: `no page of ${host} was requested` });
        },
      };
    },
  },
  pageProblem(
    {
      id: "page.slow",
      severity: "info",
      message: "The server needs more than 5 seconds for a page",
      why: "Search engines read fewer pages of a slow site.",
      fix: "Find out what makes the page slow.",
      source: GOOGLE_HTTP,
    },
    ({ ms = 0 }) => (ms > SLOW_MS ? `${(ms / 1000).toFixed(1)} seconds` : undefined),
  ),
  pageProblem(
    {
      id: "page.no-content-type",
      severity: "warning",
      message: "The response of a listed page has no Content-Type",
      why: "Crawlers and browsers must guess whether it is a page.",
      fix: "Send the header Content-Type: text/html; charset=utf-8.",
      source: `${RFC_9110}#section-8.3`,
    },
    (page) => (isAlive(page) && page.contentType === undefined ? "no header Content-Type" : undefined),
  ),
  pageProblem(
    {
      id: "page.content-type",
      severity: "info",
      isOff: true,
      message: "A listed page is not HTML",
      why: "Most entries of a sitemap are HTML pages. Documents such as PDF files are allowed.",
      fix: "Remove the URL from the sitemap if it is not a document for people.",
      source: GOOGLE_CRAWLER,
    },
    (page) => {
      const { contentType } = page;
      const isHtml = contentType === undefined || /html/i.test(contentType);
      return isAlive(page) && !isHtml ? contentType : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.too-large",
      severity: "warning",
      message: "A listed page is larger than 15 MB",
      why: "Google reads the first 15 MB of a page and ignores the rest.",
      fix: "Move data and inline images out of the page.",
      source: GOOGLE_CRAWLER,
    },
    (page) =>
      isAlive(page) && (page.length ?? 0) > LARGE_BYTES && /html/i.test(page.contentType ?? "")
        ? `${Math.round(page.length! / 1e6)} MB`
        : undefined,
  ),
];
