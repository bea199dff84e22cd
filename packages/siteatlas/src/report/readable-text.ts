/** Text of a site, made readable and harmless for a report. The caller still has to escape markup. */
import { logLine, logUrl } from "../escape/log-line.ts";

const MAX_DECODED = 4000;

/** A path or URL that people can read: `%C3%BC` becomes `ü`. Invisible characters become escapes such as `\u202e`. */
export function readablePath(path: string, maxLength = 80): string {
  return logLine(decoded(path), { maxLength });
}

/** A URL without secrets, and without its origin if this is the site. The middle of a long URL is cut out. */
export function readableUrl(url: string, site: string, maxLength = 80): string {
  const origin = URL.canParse(site) ? new URL(site).origin : "";
  const isOwn = origin !== "" && origin !== "null" && url.startsWith(`${origin}/`);
  const shown = logUrl(url, { maxLength: MAX_DECODED });
  return withoutMiddle(readablePath(isOwn ? shown.slice(origin.length) : shown, MAX_DECODED), maxLength);
}

/** Cuts out the middle of a long text, so that its start and its end stay visible. */
function withoutMiddle(text: string, maxLength: number): string {
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  const end = Math.floor(maxLength / 3);
  return `${characters.slice(0, maxLength - end - 1).join("")}…${characters.slice(-end).join("")}`;
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
