/** Messages for a site that answers every request with an error status. */
import { isAbsent } from "../../model/http-status.ts";
import type { Settings } from "../config/flags.ts";
import type { Target } from "../config/target.ts";
import { failureWord, failureWords } from "./failure-texts.ts";
import { otherSchemeHint } from "./no-answer.ts";
import type { SiteFacts } from "./run-counts.ts";

export interface Message {
  readonly text: string;
  readonly hint?: string;
}

/**
 * The message if the site answers every request with an error status, so that trying other locations cannot help.
 * Undefined for other sites.
 */
export function refusal(target: Target, facts: SiteFacts, settings: Settings): Message | undefined {
  const statuses = statusesOf(facts);
  if (statuses.length === 0) return undefined;
  const shown = statuses.join(" or ");
  const other = otherOrigin(target, facts);
  const way = facts.refusedBy?.isRedirect ? "redirects to" : "lists sitemaps on";
  const name = other === undefined ? target.name : `${target.name} ${way} ${other}, which`;
  if (isRefused(facts)) {
    return {
      text: `${name} refuses these requests (${shown})${loginText(facts)}`,
      hint: refusalHint(target, facts, settings, shown),
    };
  }
  const text = `${name} is unavailable: every request was answered with ${shown}`;
  if (statuses.every((status) => /^(?:429|5\d\d)$/.test(status))) {
    const isLimit = shown === "429";
    return {
      text,
      hint: isLimit ? "Send fewer requests with --delay 2s, or try again later." : "Try again later.",
    };
  }
  if (!statuses.every((status) => /^4\d\d$/.test(status) && !/^4(?:04|10)$/.test(status))) return undefined;
  if (shown === "407") return { text, hint: "Is this a proxy? Name it with --proxy URL." };
  return { text, hint: otherSchemeHint(target, settings) ?? "Is this a web server?" };
}

/**
 * Why a site, or a sitemap that the user gave, has no pages, in a word: `401`, `unknown host`. Empty if the site just
 * has no sitemap.
 */
export function emptyWord(facts: SiteFacts, isSitemap: boolean): string {
  const { answered, firstFailure, named } = facts;
  if (answered === 0) return firstFailure === undefined ? "" : failureWord(firstFailure);
  if (isLogin(facts)) return "login";
  if (isSitemap) return failureWords(named);
  const statuses = statusesOf(facts);
  return statuses.every((status) => /^[45]\d\d$/.test(status) && !isAbsent(Number(status)))
    ? statuses.join(" or ")
    : "";
}

/** Whether the site answers every request with 401 or 403. */
export function isRefused(facts: SiteFacts): boolean {
  const statuses = statusesOf(facts);
  return statuses.length > 0 && statuses.every((status) => /^40[13]$/.test(status));
}

/**
 * The words of all failed requests, such as `401`, sorted and each once. If robots.txt could be read, one of the words
 * is `found`.
 */
function statusesOf({ robots, guesses, named }: SiteFacts): string[] {
  const others = [...new Set([...guesses.keys(), ...named.keys()])].sort();
  // If everything but robots.txt fails with 401, ignore robots.txt: sites with a password often allow it.
  if (others.length === 1 && others[0] === "401") return others;
  return [...new Set([...(robots === undefined ? [] : [robots]), ...others])].sort();
}

/** The origin that refused the requests, if it is not the one of the site. */
function otherOrigin({ url }: Target, { refusedBy }: SiteFacts): string | undefined {
  return refusedBy?.origin === new URL(url).origin ? undefined : refusedBy?.origin;
}

function refusalHint(target: Target, facts: SiteFacts, settings: Settings, shown: string): string {
  const hasAuth = (target.auth ?? settings.auth ?? settings.authFile) !== undefined;
  const other = otherOrigin(target, facts);
  if (other !== undefined && (hasAuth || settings.header !== undefined)) {
    return otherOriginHint(new URL(target.url), new URL(other));
  }
  if (shown === "401") {
    const login = otherLogin(facts.loginCause);
    if (login !== undefined) return login;
    return hasAuth
      ? "Check the user name and password."
      : "Send a user name and password with --auth user:password, or a token with -H.";
  }
  return `Set a User-Agent with -A, or send credentials with ${hasAuth ? "-H" : "--auth or -H"}.`;
}

interface Login {
  /** The authentication scheme that the server names in WWW-Authenticate. */
  readonly scheme: string;
  /** A hint how to log in. Set only for schemes other than Basic, because --auth supports only Basic. */
  readonly other?: string;
}

const PROXY_LOGIN = "--auth sends only Basic. A proxy that logs in can help: --proxy URL.";

/** The ways to log in, by the cause of the failed request. */
const LOGINS: Readonly<Record<string, Login>> = {
  "basic-authentication": { scheme: "Basic" },
  "bearer-authentication": {
    scheme: "Bearer",
    other: "Send a token with -H 'Authorization: Bearer TOKEN'. --auth sends only Basic.",
  },
  "digest-authentication": { scheme: "Digest", other: PROXY_LOGIN },
  "negotiate-authentication": { scheme: "Negotiate or NTLM", other: PROXY_LOGIN },
};

/** A hint for a response with status 401. Undefined if --auth helps. */
export function otherLogin(cause: string | undefined): string | undefined {
  return LOGINS[cause ?? ""]?.other;
}

/**
 * Whether requests are redirected to a login page. False if robots.txt could be read, because other URLs may then work.
 */
export function isLogin({ robots, loginPage }: SiteFacts): boolean {
  return loginPage !== undefined && robots !== "found";
}

export const LOGIN_HINT = "Log in with a browser and send its cookie: -H 'Cookie: name=value'.";

/** The end of a message about a 401: ` and wants Digest authentication`. */
function loginText({ loginCause = "" }: SiteFacts): string {
  const login = LOGINS[loginCause];
  return login === undefined ? "" : ` and wants ${login.scheme} authentication`;
}

/**
 * A hint about credentials if another origin refuses the requests. It must not make users send a password without
 * encryption, or to a host that only the site names.
 */
function otherOriginHint(from: URL, to: URL): string {
  const rule = "siteatlas sends credentials only to the given origin.";
  if (from.protocol === "https:" && to.protocol === "http:")
    return `${rule} It does not send them to ${to.origin}, which uses plain http.`;
  return from.hostname === to.hostname
    ? `${rule} Try ${to.href}`
    : `${rule} If you trust ${to.host}, try ${to.href}`;
}
