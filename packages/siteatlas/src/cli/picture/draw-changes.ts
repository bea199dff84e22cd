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
 *       ? 1 sitemap unknown: its 1,200 pages stay as they were
 *           /blog.xml    The server answered with an error status, since 2026-11-14 08:00 UTC
 */
import { describeIssue } from "../../issue-texts.ts";
import { terminalText } from "../../sinks/terminal.ts";
import type { Added, Changed, Relisted, Removed, Unknown } from "../../sync/changes.ts";
import type { LastmodReason, LastmodTrust } from "../../sync/lastmod-trust.ts";
import type { PageField } from "../../sync/page-line.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import type { ChangeSamples } from "../change-samples.ts";
import { type Paint, paintFor, type Style } from "../talk/style.ts";
import { bytes, count, duration, number } from "../talk/words.ts";
import type { DrawOptions } from "./draw-options.ts";
import { glyphsFor } from "./glyphs.ts";
import { asciiOnly, cellWidth, fit, fitMiddle, padEnd, shortUrl } from "./text-cells.ts";

/** Examples of each kind that are shown. */
export const SHOWN_EXAMPLES = 5;

/** A page, and what is to be said of it. */
type Example = readonly [url: string, note: string];

/** URLs take no more of the width than this. */
const URL_SHARE = 0.6;
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

  draw({ counts, samples, weak }: ChangeSamples): string {
    const { homepage, when } = this.#options;
    const pages = samples.unknown.reduce((sum, { pageCount }) => sum + pageCount, 0);
    const stay =
      counts.unknown === samples.unknown.length
        ? ` ${counts.unknown === 1 ? "its" : "their"} ${count(pages, "page")} ${pages === 1 ? "stays as it was" : "stay as they were"}`
        : " their pages stay as they were";
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
        `${number(counts.removed)} removed`,
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
        `${count(counts.unknown, "sitemap")} unknown:${stay}`,
        samples.unknown.map(this.#unknown),
        counts.unknown,
      ),
    ].filter((part) => part !== "");
    if (parts.length === 1) parts.push(`  ${this.#paint("dim", "nothing changed")}\n`);
    return `${parts[0]}\n${parts.slice(1).join("")}`;
  }

  #group(sign: string, style: Style, title: string, examples: readonly Example[], all: number): string {
    if (all === 0) return "";
    const { width } = this.#options;
    const { ellipsis } = glyphsFor(this.#ascii);
    const room = Math.max(20, width - INDENT.length);
    const urls = examples.map(([url]) =>
      this.#cut(shortUrl(url, this.#origin, this.#ascii), room * URL_SHARE),
    );
    const column = Math.max(...urls.map(cellWidth));
    const lines = examples.map(([, note], at) => {
      const shown = note === "" ? "" : this.#paint("dim", fit(note, room - column - 2, ellipsis));
      return `${INDENT}${padEnd(urls[at]!, column)}  ${shown}`.trimEnd();
    });
    const more = all - examples.length;
    if (more > 0) lines.push(`${INDENT}${this.#paint("dim", `${ellipsis} and ${number(more)} more`)}`);
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

  readonly #unknown = ({ url, code, since }: Unknown): Example => [
    url,
    `${describeIssue(code).message}, since ${momentText(since)}`,
  ];
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

/** `25 requests: 20 not modified; 4 sitemaps taken on trust; 12 kB in 1.2 s` */
export function costText({ asked, notModified, onTrust, bytes: received, ms }: SyncSummary): string {
  const trusted = onTrust === 0 ? "" : `; ${count(onTrust, "sitemap")} taken on trust`;
  const same = notModified === 0 ? "" : `, ${number(notModified)} not modified`;
  return `${count(asked, "request")}${same}${trusted}; ${bytes(received)} in ${duration(ms)}`;
}
