/** Masks the secrets of a request in the response to it: an error page may repeat the headers that it was sent. */
import { MASK } from "./userinfo.ts";

/** These headers are the same for every user. */
const PUBLIC = /^(?:accept(?:-.*)?|user-agent)$/i;
/** Shorter values occur in any text. */
const MIN_LENGTH = 4;

/** The values of the headers that a caller gave. For HTTP Basic also the user name and the password. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets = Object.entries(headers)
    .filter(([name]) => !PUBLIC.test(name))
    .flatMap(([, value]) => {
      const [, scheme = "", token = ""] = /^(\w+) +(\S+)$/.exec(value) ?? [];
      if (!/^basic$/i.test(scheme)) return [value, token];
      const credentials = Buffer.from(token, "base64").toString("utf8");
      const [user = "", ...password] = credentials.split(":");
      return [value, token, credentials, password.join(":"), user];
    });
  // The longest first: one may contain another.
  return secrets.filter(({ length }) => length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
}

export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}
