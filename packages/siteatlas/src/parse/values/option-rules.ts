/**
 * Checks the arguments of the parse functions. The parser for browsers has to be small. So it rejects only values that
 * would give wrong results, and its messages only name the argument.
 */

import { FAST } from "#shortcuts";
import { checkOptions, invalidArgument, type OptionRules } from "../../check/check-options.ts";
import { BOOLEAN, type Rule, rule, STRING } from "../../check/rules.ts";
import { limitsRule } from "../../model/fill-limits.ts";
import { PARSE_LIMITS, type ParseLimits } from "../../model/generated/limits.ts";
import { parseUrl } from "./parse-url.ts";

/**
 * The property of a `URL` object that is used. The global type `URL` is not used, because it is missing in projects
 * without the types of a browser or of Node.
 */
export interface UrlObject {
  /** The absolute URL. */
  readonly href: string;
}

/** The options that `parseSitemap` and `parseRobotsTxt` share. */
interface CommonOptions {
  readonly url?: string | UrlObject | undefined;
  readonly strict?: boolean | undefined;
  readonly limits?: ParseLimits | undefined;
}

/** Checks the options of a parse function. @throws {TypeError | RangeError} for an invalid option */
export function checkParseOptions(
  caller: string,
  options: CommonOptions & { readonly contentType?: string | undefined },
  hasContentType: boolean,
): void {
  if (FAST) checkOptions(caller, parseRules(hasContentType), options);
}

function parseRules(hasContentType: boolean): OptionRules<CommonOptions> {
  const common: OptionRules<CommonOptions> = {
    url: urlRule(),
    strict: BOOLEAN,
    limits: limitsRule<ParseLimits>(PARSE_LIMITS),
  };
  const rules: OptionRules<CommonOptions & { readonly contentType?: string | undefined }> = {
    ...common,
    contentType: STRING,
  };
  return hasContentType ? rules : common;
}

/** The rule for the URL of a document. An empty string means that the URL is unknown. */
function urlRule(): Rule<string | UrlObject> {
  return rule("an absolute URL", (value) => {
    const text = typeof value === "string" ? value : (value as Partial<UrlObject> | null)?.href;
    return typeof text === "string" && (text === "" || parseUrl(text) !== undefined);
  });
}

/**
 * The URL of a document as text. In Node, its user name, password and fragment are removed, because the URL appears in
 * issues and saved trees.
 */
export function urlText(url: string | UrlObject = ""): string {
  const text = typeof url === "string" ? url : url.href;
  if (!FAST || !/[@#]/.test(text)) return text;
  const bare = parseUrl(text);
  if (bare === undefined) return text;
  bare.username = "";
  bare.password = "";
  bare.hash = "";
  return bare.href;
}

export function checkText(caller: string, name: string, text: unknown): void {
  if (typeof text !== "string") throw argumentError(caller, name, "a string", text);
}

export function argumentError(caller: string, name: string, allowed: string, value: unknown): Error {
  return FAST ? invalidArgument(caller, name, allowed, value) : new TypeError(`Invalid ${name}`);
}
