/**
 * Repairs a sitemap where the repair is certain: there is only one thing that the author can have meant. Works line by
 * line, so that a diff shows what changes.
 */

/** A line before and after the repair. `after` is undefined if the line is removed. */
export interface FixedLine {
  readonly before: string;
  readonly after: string | undefined;
}

const BARE_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/gi;
/** A complete entry on one line. */
const ENTRY = /^\s*<(url|sitemap)>.*<\/\1>\s*$/;
const ROOT_RELATIVE = /(<loc>\s*)(\/(?!\/)[^<\s]*)/g;

/**
 * Repairs the text of an XML sitemap. Returns undefined if nothing changes.
 *
 * @param origin the origin of the site, for relative URLs
 */
export function fixDocument(text: string, origin: string): readonly FixedLine[] | undefined {
  // In CDATA and comments, an ampersand needs no escape.
  const hasSections = text.includes("<![CDATA[") || text.includes("<!--");
  const seen = new Set<string>();
  let isStarted = false;
  const lines = text.split("\n").map((before): FixedLine => {
    if (!isStarted && before.trim() === "") return { before, after: undefined };
    const line = isStarted ? before : before.replace(/^[\s\ufeff]+(?=<)/, "");
    isStarted = true;
    if (ENTRY.test(line)) {
      const entry = line.trim();
      if (seen.has(entry)) return { before, after: undefined };
      seen.add(entry);
    }
    return { before, after: fixLine(line, origin, hasSections) };
  });
  return lines.some(({ before, after }) => before !== after) ? lines : undefined;
}

function fixLine(line: string, origin: string, hasSections: boolean): string {
  const escaped = hasSections ? line : line.replace(BARE_AMPERSAND, "&amp;");
  return escaped
    .replace(ROOT_RELATIVE, (_, tag: string, path: string) => `${tag}${origin}${path}`)
    .replace(/(<\?xml[^>]*\sencoding=)(["'])(?!utf-8)[^"']*\2/i, '$1"UTF-8"')
    .replace(
      'xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"',
      'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
    );
}

/** The text after the repair. */
export function fixedText(lines: readonly FixedLine[]): string {
  return lines.flatMap(({ after }) => after ?? []).join("\n");
}
