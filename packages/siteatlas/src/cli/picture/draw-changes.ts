/**
 * What changed on a site, for people: how many pages, a few of each kind, and what nobody knows.
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
 *       ? 1 sitemap not read whole: none of its 1,200 pages is called removed
 *           /blog.xml    503, since 2026-11-14 08:00 UTC
 */
import { terminalText } from "../../sinks/terminal.ts";
import type { Added, Changed, Relisted, Removed, Unknown } from "../../sync/changes.ts";
import type { LastmodReason, LastmodTrust } from "../../sync/lastmod-trust.ts";
import type { PageField } from "../../sync/page-line.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import type { ChangeSamples } from "../change-samples.ts";
import { keptText } from "../talk/changes-line.ts";
import { unknownWord } from "../talk/failures.ts";
import { type Paint, paintFor, type Style } from "../talk/style.ts";
import { bytes, count, duration, number, wrapWords } from "../talk/words.ts";
import type { DrawOptions } from "./draw-options.ts";
import { glyphsFor } from "./glyphs.ts";
import { asciiOnly, cellWidth, fit, fitMiddle, padEnd, shortUrl } from "./text-cells.ts";

/** Examples of each kind that are shown. */
export const SHOWN_EXAMPLES = 5;

/** A page, and what is to be said of it. */
type Example = readonly [url: string, note: string];

/** URLs take no more of the width than this; and no less, where notes are short and must not be cut. */
const URL_SHARE = 0.6;
const MIN_URL_SHARE = 0.3;
const INDENT = "      ";

export interface DrawChangesOptions extends DrawOptions {
  /** Behind the host: since when, or from when to when. */
  readonly when: string;
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
    const unsure = found.areRemovalsUnsure ? ", or moved to what was not read whole" : "";
    const { homepage, when } = this.#options;
    const littleSaid = weak === 0 ? "" : `, ${number(weak)} of them by a date that says little`;
    const parts = [
      `${this.#paint("bold", terminalText(new URL(homepage).host))}  ${when}\n`,
      this.#group(
        "+",
        "green",
        `${number(counts.added)} added`,
        samples.added.map(this.#added),
        counts.added,
      ),
      this.#group(
        "~",
        "yellow",
        `${number(counts.changed)} changed${littleSaid}`,
        samples.changed.map(this.#changed),
        counts.changed,
      ),
      this.#group(
        "-",
        "red",
        `${number(counts.removed)} removed${unsure}`,
        samples.removed.map(this.#removed),
        counts.removed,
      ),
      this.#group(
        "=",
        "dim",
        `${number(counts.relisted)} in other sitemaps than before`,
        samples.relisted.map(this.#relisted),
        counts.relisted,
      ),
      this.#group(
        "?",
        "yellow",
        unknownText(unknownSitemaps, unknownPages),
        samples.unknown.map(this.#unknown),
        counts.unknown,
        MIN_URL_SHARE,
      ),
    ].filter((part) => part !== "");
    if (parts.length === 1) parts.push(`  ${this.#paint("dim", "nothing changed")}\n`);
    return `${parts[0]}\n${parts.slice(1).join("")}`;
  }

  #group(
    sign: string,
    style: Style,
    title: string,
    examples: readonly Example[],
    all: number,
    urlShare: number = URL_SHARE,
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
    return `  ${this.#paint(style, `${sign} ${title}`)}\n${lines.map((line) => `${line}\n`).join("")}`;
  }

  #cut(url: string, width: number): string {
    const { ellipsis } = glyphsFor(this.#ascii);
    return fitMiddle(this.#ascii ? asciiOnly(url) : url, Math.floor(width), ellipsis);
  }

  #short(url: string): string {
    return shortUrl(url, this.#origin, this.#ascii);
  }

  readonly #added = ({ url, page, movedFrom }: Added): Example => [
    url,
    movedFrom === undefined ? terminalText(page.lastModified ?? "") : `was ${this.#short(movedFrom)}`,
  ];

  readonly #changed = ({ url, fields, before, after }: Changed): Example => {
    const notes = fields.map((name) => {
      const [old, young] = [plainValue(before, name), plainValue(after, name)];
      if (old === undefined && young === undefined) return name;
      return `${name} ${old ?? "none"} ${this.#arrow} ${young ?? "none"}`;
    });
    return [url, terminalText(notes.join(", "))];
  };

  readonly #removed = ({ url, movedTo }: Removed): Example => [
    url,
    movedTo === undefined ? "" : `now ${this.#short(movedTo)}`,
  ];

  readonly #relisted = ({ url, from, to }: Relisted): Example => [
    url,
    `${this.#short(from[0] ?? "")} ${this.#arrow} ${this.#short(to[0] ?? "")}`,
  ];

  readonly #unknown = (change: Unknown): Example => [
    change.url,
    `${unknownWord(change)}, since ${momentText(change.since)}`,
  ];
}

/** `2 sitemaps not read whole: none of their 2,617 pages is called removed` */
function unknownText(sitemaps: number, pages: number): string {
  if (sitemaps === 0) return "robots.txt not read";
  return `${count(sitemaps, "sitemap")} not read whole${keptText(sitemaps, pages)}`;
}

function plainValue(page: Changed["before"], name: PageField): string | number | undefined {
  return name === "lastModified" || name === "changeFrequency" || name === "priority" || name === "published"
    ? page[name]
    : undefined;
}

/** `2026-11-14 08:00 UTC`, of what a snapshot says. */
export function momentText(iso: string): string {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? "?" : `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

// ---------------------------------------------------------------- dates and costs

const REASONS: Readonly<Record<LastmodReason, string>> = {
  absent: "no date",
  bulk: "one and the same instant",
  generated: "the time of the request or of the file",
  future: "a date in the future",
  restamped: "a date that moved alone, with most others",
};

/** Shares below this are not worth a word. */
const MIN_SHARE = 0.1;

/** `The dates of its pages say much (0.97)`; and if not, why not. */
export function trustText(trust: LastmodTrust): string {
  const { score } = trust;
  const much = score >= 0.8 ? "much" : score >= 0.5 ? "something" : score > 0 ? "little" : "nothing";
  const reasons = (Object.keys(REASONS) as LastmodReason[])
    .filter((name) => trust[name] >= MIN_SHARE)
    .map((name) => `${Math.round(trust[name] * 100)}% have ${REASONS[name]}`);
  return `lastmod says ${much} (${score})${reasons.length === 0 ? "" : `: ${reasons.join(", ")}`}`;
}

/** A sentence below the picture, broken between words. */
export function wrapped(text: string, width: number): string[] {
  const lines = wrapWords(text, Math.max(20, width - 4));
  return lines.map((line, at) => `${at === 0 ? "  " : "    "}${line}`);
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

/** `25 requests: 20 not modified; 4 sitemaps taken on trust; 12 kB in 1.2 s` */
export function costText({ asked, notModified, onTrust, bytes: received, ms }: SyncSummary): string {
  const trusted = onTrust === 0 ? "" : `; ${count(onTrust, "sitemap")} taken on trust`;
  const same = notModified === 0 ? "" : `, ${number(notModified)} not modified`;
  return `${count(asked, "request")}${same}${trusted}; ${bytes(received)} in ${duration(ms)}`;
}
