/** HTTP Basic authentication (RFC 7617). The texts are secrets: no message may contain them. */

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
