/**
 * Draws the changes of a site for a terminal: counts, a few examples of each kind, and sitemaps that could not be
 * read.
 *
 *     www.example.com  since 2026-11-14 08:00 UTC
 *
 *       + 2 added
 *           /news/today  2026-11-15
 *           /shop/new    was /shop/old
 *       ~ 1 changed
 *           /about       lastModified 2026-01-01 → 2026-11-15, images
 *       - 1 removed
 *           /shop/old    now /shop/new
 *       ? 1 sitemap could not be read completely: its 1,200 pages are kept as they were
 *           /blog.xml    503, since 2026-11-14 08:00 UTC
 */
import { terminalText } from "../../escape/terminal.ts";
import type {
  PageAdded,
  PageChange,
  PageChanged,
  PageRelisted,
  PageRemoved,
  SitemapUnknown,
} from "../../sync/changes.ts";
import { type LastmodReason, type LastmodTrust, MIN_SAME_DAY } from "../../sync/revalidate/lastmod-trust.ts";
import type { PageField } from "../../sync/snapshot/page-line.ts";
import type { PendingReason } from "../../sync/snapshot/snapshot-format.ts";
import type { SyncSummary } from "../../sync/sync-summary.ts";
import { unknownWord } from "../messages/failure-texts.ts";
import type { DrawOptions } from "../render/draw-options.ts";
import { asciiOnly, cellWidth, fit, fitMiddle, padEnd, shortUrl } from "../terminal/cell-width.ts";
import { bytes, count, duration, number, wrapWords } from "../terminal/format-text.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { type Paint, paintFor, type Style } from "../terminal/style.ts";
import type { ChangeSamples } from "./change-samples.ts";
import { unreadText } from "./changes-line.ts";

/** Maximum number of examples of each kind. */
export const SHOWN_EXAMPLES = 5;

type Example = readonly [url: string, note: string];

/** Maximum share of the width for URLs. */
const URL_SHARE = 0.6;
/** Share of the width for URLs if their notes are more important. */
const MIN_URL_SHARE = 0.3;
const INDENT = "      ";
const TITLE_INDENT = "    ";

interface Group {
  readonly sign: string;
  readonly style: Style;
  readonly urlShare?: number;
}

const GROUPS: Readonly<Record<PageChange["kind"], Group>> = {
  added: { sign: "+", style: "green" },
  changed: { sign: "~", style: "yellow" },
  removed: { sign: "-", style: "red" },
  pending: { sign: "?", style: "yellow" },
  returned: { sign: "=", style: "dim" },
  relisted: { sign: "=", style: "dim" },
  unknown: { sign: "?", style: "yellow", urlShare: MIN_URL_SHARE },
};

export const PENDING_TEXTS: Readonly<Record<PendingReason, string>> = {
  many: "many pages disappeared at once",
  unlisted: "its sitemap is no longer listed",
  emptied: "its sitemap is empty",
  shrunk: "its sitemap lost half of its pages or more",
  unread: "another sitemap may list it",
  alive: "the server still has the page",
};

export interface DrawChangesOptions extends DrawOptions {
  /** Shown after the host: `since …`, `… to …`. */
  readonly when: string;
  /** Whether this is the first sync, without earlier pages to keep. @default false */
  readonly isFirst?: boolean;
}

export function drawChanges(found: ChangeSamples, options: DrawChangesOptions): string {
  return new ChangesPicture(options).draw(found);
}

class ChangesPicture {
  readonly #options: DrawChangesOptions;
  readonly #paint: Paint;
  readonly #origin: string;
  readonly #ascii: boolean;
  readonly #arrow: string;

  constructor(options: DrawChangesOptions) {
    const { homepage, color, ascii = false } = options;
    this.#options = options;
    this.#paint = paintFor(color);
    this.#origin = new URL(homepage).origin;
    this.#ascii = ascii;
    this.#arrow = ascii ? "->" : "→";
  }

  draw(found: ChangeSamples): string {
    const { counts, samples, weak, unknownSitemaps, unknownPages } = found;
    const { homepage, when, isFirst = false } = this.#options;
    const weakly =
      weak === 0 ? "" : `, ${number(weak)} of them only by date, in sitemaps whose dates are unreliable`;
    const room = Math.max(20, this.#options.width - 2 - when.length);
    const host = this.#cut(terminalText(new URL(homepage).host), room);
    const title = `${this.#paint("bold", host)}  ${when}\n`;
    const group = (kind: keyof typeof counts, text: string, examples: readonly Example[]): string =>
      this.#group(GROUPS[kind], text, examples, counts[kind]);
    const parts = [
      title,
      group("added", `${number(counts.added)} added`, samples.added.map(this.#added)),
      group("changed", `${number(counts.changed)} changed${weakly}`, samples.changed.map(this.#changed)),
      group("removed", `${number(counts.removed)} removed`, samples.removed.map(this.#removed)),
      group(
        "pending",
        `${number(counts.pending)} disappeared, removal not certain yet`,
        samples.pending.map(({ url, reason }): Example => [url, PENDING_TEXTS[reason]]),
      ),
      group(
        "returned",
        `${number(counts.returned)} listed again, no longer pending`,
        samples.returned.map(
          ({ url, pendingSince }): Example => [url, `pending since ${momentText(pendingSince)}`],
        ),
      ),
      group(
        "relisted",
        `${number(counts.relisted)} listed in other sitemaps than before`,
        samples.relisted.map(this.#relisted),
      ),
      group(
        "unknown",
        unknownText(unknownSitemaps, isFirst ? 0 : unknownPages),
        samples.unknown.map(this.#unknown),
      ),
    ].filter((part) => part !== "");
    if (parts.length === 1) parts.push(`  ${this.#paint("dim", "no changes")}\n`);
    return `${parts[0]}\n${parts.slice(1).join("")}`;
  }

  #group(
    { sign, style, urlShare = URL_SHARE }: Group,
    title: string,
    examples: readonly Example[],
    all: number,
  ): string {
    if (all === 0) return "";
    const { width } = this.#options;
    const { ellipsis } = glyphsFor(this.#ascii);
    const room = Math.max(20, width - INDENT.length);
    const left = room - 2 - Math.max(0, ...examples.map(([, note]) => cellWidth(note)));
    const urlWidth = urlShare === URL_SHARE ? room * URL_SHARE : Math.max(left, room * urlShare);
    const urls = examples.map(([url]) => this.#cut(shortUrl(url, this.#origin, this.#ascii), urlWidth));
    const column = Math.max(...urls.map(cellWidth));
    const lines = examples.map(([, note], at) => {
      const shown = note === "" ? "" : this.#paint("dim", fit(note, room - column - 2, ellipsis));
      return `${INDENT}${padEnd(urls[at]!, column)}  ${shown}`.trimEnd();
    });
    const more = all - examples.length;
    if (more > 0)
      lines.push(
        `${INDENT}${this.#paint("dim", `${ellipsis} and ${number(more)} more (-f ndjson lists all)`)}`,
      );
    const [first = "", ...rest] = wrapWords(title, Math.max(20, width - TITLE_INDENT.length));
    const titles = [`  ${sign} ${first}`, ...rest.map((line) => TITLE_INDENT + line)];
    const painted = titles.map((line) => line.replace(/\S.*/, (text) => this.#paint(style, text)));
    return [...painted, ...lines].map((line) => `${line}\n`).join("");
  }

  #cut(url: string, width: number): string {
    const { ellipsis } = glyphsFor(this.#ascii);
    return fitMiddle(this.#ascii ? asciiOnly(url) : url, Math.floor(width), ellipsis);
  }

  #short(url: string): string {
    return shortUrl(url, this.#origin, this.#ascii);
  }

  readonly #added = ({ url, page, movedFrom }: PageAdded): Example => [
    url,
    movedFrom === undefined ? terminalText(page.lastModified ?? "") : `was ${this.#short(movedFrom)}`,
  ];

  readonly #changed = ({ url, fields, before, after }: PageChanged): Example => {
    const notes = fields.map((name) => {
      const [old, young] = [plainValue(before, name), plainValue(after, name)];
      if (old === undefined && young === undefined) return name;
      return `${name} ${old ?? "none"} ${this.#arrow} ${young ?? "none"}`;
    });
    return [url, terminalText(notes.join(", "))];
  };

  readonly #removed = ({ url, movedTo }: PageRemoved): Example => [
    url,
    movedTo === undefined ? "" : `now ${this.#short(movedTo)}`,
  ];

  readonly #relisted = ({ url, from, to }: PageRelisted): Example => [
    url,
    `${this.#short(from[0] ?? "")} ${this.#arrow} ${this.#short(to[0] ?? "")}`,
  ];

  readonly #unknown = (change: SitemapUnknown): Example => [
    change.url,
    `${unknownWord(change)}, since ${momentText(change.since)}`,
  ];
}

function unknownText(sitemaps: number, pages: number): string {
  if (sitemaps === 0) return "robots.txt could not be read";
  return unreadText(count(sitemaps, "sitemap"), sitemaps, pages);
}

function plainValue(page: PageChanged["before"], name: PageField): string | number | undefined {
  return name === "lastModified" || name === "changeFrequency" || name === "priority" || name === "published"
    ? page[name]
    : undefined;
}

/** `2026-11-14 08:00 UTC` */
export function momentText(iso: string): string {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? "?" : `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

// ---------------------------------------------------------------- below the picture

const REASONS: Readonly<Record<LastmodReason, string>> = {
  absent: "no date",
  bulk: "an identical date",
  sameDay: "the same day",
  generated: "the time of the request or of the file",
  future: "a date in the future",
  restamped: "a new date although nothing else changed",
};

/** A reason is mentioned only if it applies to at least this share of the pages. */
const MIN_SHARE = 0.1;

/** `lastmod is reliable (score 0.97 of 1)`, `lastmod is unreliable (score 0.2 of 1): 80% have no date` */
export function trustText(trust: LastmodTrust): string {
  const { score } = trust;
  const grade = score >= 0.8 ? "reliable" : score >= 0.5 ? "partly reliable" : "unreliable";
  const reasons = (Object.keys(REASONS) as LastmodReason[])
    .filter((name) => trust[name] >= (name === "sameDay" ? MIN_SAME_DAY : MIN_SHARE))
    .map((name) => `${Math.round(trust[name] * 100)}% have ${REASONS[name]}`);
  return `lastmod is ${grade} (score ${score} of 1)${reasons.length === 0 ? "" : `: ${reasons.join(", ")}`}`;
}

/**
 * A sentence below the picture. A URL longer than a line is shortened.
 *
 * @param indent indentation of the second and later lines
 */
export function wrapped(
  text: string,
  { width, ascii = false }: Pick<DrawOptions, "width" | "ascii">,
  indent = 4,
): string[] {
  const room = Math.max(20, width - indent);
  const { ellipsis } = glyphsFor(ascii);
  const lines = wrapWords(text, room).map((line) => fitMiddle(line, room, ellipsis));
  return lines.map((line, at) => `${" ".repeat(at === 0 ? 2 : indent)}${line}`);
}

/** `1 sitemap is gone: /news.xml`, `2 new sitemaps: /a.xml, /b.xml` */
export function sitemapTexts({ newSitemaps, goneSitemaps, homepage }: SyncSummary): string[] {
  const { origin } = new URL(homepage);
  const names = (urls: readonly string[]): string =>
    urls.length > SHOWN_EXAMPLES ? "" : `: ${urls.map((url) => shortUrl(url, origin)).join(", ")}`;
  const texts: string[] = [];
  if (goneSitemaps.length > 0) {
    const verb = goneSitemaps.length === 1 ? "is" : "are";
    texts.push(`${count(goneSitemaps.length, "sitemap")} ${verb} gone${names(goneSitemaps)}`);
  }
  if (newSitemaps.length > 0) {
    texts.push(`${count(newSitemaps.length, "new sitemap")}${names(newSitemaps)}`);
  }
  return texts;
}

/** `25 requests (20 not modified), 4 sitemaps skipped as unchanged, 12 kB in 1.2 s` */
export function costText({ asked, notModified, onTrust, bytes: received, ms }: SyncSummary): string {
  const same = notModified === 0 ? "" : ` (${number(notModified)} not modified)`;
  const trusted = onTrust === 0 ? "" : `, ${count(onTrust, "sitemap")} skipped as unchanged`;
  return `${count(asked, "request")}${same}${trusted}, ${bytes(received)} in ${duration(ms)}`;
}
