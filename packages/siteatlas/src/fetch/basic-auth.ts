/** HTTP Basic authentication (RFC 7617), and secrets in headers. No message may contain them. */
import { MASK } from "../escape/userinfo.ts";

/** The Authorization header for `user:password`. */
export function basicAuthorization(credentials: string): string {
  return `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`;
}

/** The credentials in a URL as `user:password`; undefined if it has none. */
export function credentialsIn({
  username,
  password,
}: Pick<URL, "username" | "password">): string | undefined {
  if (username === "" && password === "") return undefined;
  return `${decoded(username)}:${decoded(password)}`;
}

/** A `%` that starts no escape sequence stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** These headers are the same for every user. */
const PUBLIC = /^(?:accept(?:-.*)?|user-agent)$/i;
/** Shorter values occur in any text. */
const MIN_SECRET = 4;

/** Masks the headers of a request in the response to it: an error page may repeat what it was sent. */
export function maskSentHeaders(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(headers)
    .filter(([name]) => !PUBLIC.test(name))
    .flatMap(([, value]) => secretsIn(value))
    .filter(({ length }) => length >= MIN_SECRET);
  // The longest first: one may contain another.
  secrets.sort((a, b) => b.length - a.length);
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/** The value of a header and its token. For HTTP Basic also the user name and the password. */
function secretsIn(value: string): string[] {
  const [, scheme = "", token = ""] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  if (!/^basic$/i.test(scheme)) return [value, token];
  const credentials = Buffer.from(token, "base64").toString("utf8");
  const [user = "", ...password] = credentials.split(":");
  return [value, token, credentials, password.join(":"), user];
}
