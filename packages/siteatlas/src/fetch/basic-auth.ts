/**
 * HTTP Basic authentication (RFC 7617). Also masks values of request headers in texts of a server, such as error pages.
 */
import { MASK } from "../escape/userinfo.ts";

/** The Authorization header for `user:password`. */
export function basicAuthorization(credentials: string): string {
  return `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`;
}

/** The credentials in a URL as `user:password`. Undefined if the URL has none. */
export function credentialsIn({
  username,
  password,
}: Pick<URL, "username" | "password">): string | undefined {
  if (username === "" && password === "") return undefined;
  return `${decoded(username)}:${decoded(password)}`;
}

/** Decodes `%41` to `A`. Returns the text unchanged if it contains a `%` without two hex digits. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Matches headers that contain no secrets: their values are the same for every user. */
const PUBLIC = /^(?:accept(?:-.*)?|user-agent)$/i;
/** Minimum length of a value that is masked. Shorter values occur by chance in any text. */
const MIN_SECRET = 4;

/** Masks the values of request headers in `text`, because an error page may repeat the headers that it received. */
export function maskSentHeaders(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(headers)
    .filter(([name]) => !PUBLIC.test(name))
    .flatMap(([, value]) => secretsIn(value))
    .filter(({ length }) => length >= MIN_SECRET);
  // Replace the longest secret first, because it may contain a shorter one.
  secrets.sort((a, b) => b.length - a.length);
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/**
 * Returns the secrets in a header: its value, the token after `Bearer` or `Basic`, and for Basic also the user name and
 * the password.
 */
function secretsIn(value: string): string[] {
  const [, scheme = "", token = ""] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  if (!/^basic$/i.test(scheme)) return [value, token];
  const credentials = Buffer.from(token, "base64").toString("utf8");
  const [user = "", ...password] = credentials.split(":");
  return [value, token, credentials, password.join(":"), user];
}
