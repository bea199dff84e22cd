/** Counts the pages of a report while a site is read. All counts together need at most about 60 MB, for any site. */
import type { DateValue, Page } from "../model/model.ts";
import { kindOf, languageOf, type PageKind } from "../output/page-fields.ts";
import { UrlSet } from "../parse/fast/seen-urls.ts";
import { BoundedCounts, type Counted } from "./bounded-counts.ts";
import { DayCounts, dayIndexOf, monthOfDay } from "./day-counts.ts";
import { MonthCounts } from "./modified-by-month.ts";
import { depthOf, MAX_DEPTH, sectionsOf } from "./url-sections.ts";

/** How many names a report keeps with their counts. The other ones are counted together. */
export const KEPT = { sections: 200, folders: 40, languages: 40, hosts: 20 } as const;
/** Pairs of a section and a day. When there are twice as many, rare pairs are dropped, because they cannot be bulk dates. */
const MAX_BULK = 60_000;
/** After this many pages in dropped folders, a section gets no new folders: it probably has one per item. */
const MAX_DROPPED = 5000;
/** More than the number of a day. */
const DAY_RANGE = 32_768;
/** Slots for different URLs. A slot takes 8 bytes. 13 of 16 are used: for about 3.4 million URLs. */
const URL_SLOTS = 1 << 22;

export const MAX_UNIQUE_URLS: number = (13 / 16) * URL_SLOTS;

export interface SectionEntry extends Counted {
  readonly id: number;
  readonly months: MonthCounts;
  readonly languages: BoundedCounts<Counted>;
  /** Number of pages whose hreflang links include a language. */
  readonly hreflang: BoundedCounts<Counted>;
  readonly folders: BoundedCounts<Counted>;
  dated: number;
  withHreflang: number;
}

function counter(): Counted {
  return { count: 0 };
}

export class PageCounts {
  total = 0;
  withQuery = 0;
  insecure = 0;
  longestUrl = 0;
  withChangeFrequency = 0;
  withPriority = 0;
  dated = 0;
  invalidDates = 0;
  yearOnly = 0;
  declaredLanguage = 0;
  withHreflang = 0;
  withoutSelf = 0;
  withDefault = 0;
  readonly images = { pages: 0, total: 0 };
  readonly videos = { pages: 0, total: 0 };
  readonly kinds: Map<PageKind, number> = new Map();
  readonly depths: number[] = Array<number>(MAX_DEPTH + 1).fill(0);
  readonly months: MonthCounts = new MonthCounts();
  /** Dates with a day. */
  readonly days: DayCounts = new DayCounts();
  /** Dates without a day, at the first day of their month or year. */
  readonly roughDays: DayCounts = new DayCounts();
  readonly hosts: BoundedCounts<Counted> = new BoundedCounts(KEPT.hosts, counter);
  readonly languages: BoundedCounts<Counted> = new BoundedCounts(KEPT.languages, counter);
  readonly sections: BoundedCounts<SectionEntry> = new BoundedCounts(KEPT.sections, () => this.#newSection());
  /** Number of pages by section and day. Keys are `id * DAY_RANGE + day`. */
  readonly bulk: BoundedCounts<Counted, number> = new BoundedCounts(MAX_BULK, counter);
  readonly urls: UrlSet;
  #sectionId = 0;
  /** The origin of the last URL, with a slash, and the count of its host: most URLs have the same one. */
  #lastOrigin = "";
  #lastHost: Counted = counter();

  /** @param origin the common start of most URLs */
  constructor(origin: string) {
    this.urls = new UrlSet(origin, URL_SLOTS);
  }

  add(page: Page): void {
    const { url, alternates, lastModified } = page;
    this.total++;
    // A full set takes no more URLs, so do not compute their hashes.
    if (this.urls.size < MAX_UNIQUE_URLS) this.urls.add(url);
    this.#addUrl(url);
    this.#addMedia(page);
    const language = languageOf(page);
    const [path, folder] = sectionsOf(url, language);
    const section = this.sections.add(path);
    // Pages directly in the section have no folder.
    if (folder !== path) {
      if (section.folders.rest < MAX_DROPPED) section.folders.add(folder);
      else section.folders.addKnown(folder);
    }
    if (language !== undefined) {
      this.declaredLanguage++;
      this.languages.add(language);
      section.languages.add(language);
    }
    if (alternates !== undefined) this.#addAlternates(page, section);
    if (lastModified !== undefined) this.#addDate(lastModified, section);
  }

  #addUrl(url: string): void {
    if (url.length > this.longestUrl) this.longestUrl = url.length;
    if (url.includes("?")) this.withQuery++;
    if (url.startsWith("http:")) this.insecure++;
    this.depths[depthOf(url)]!++;
    if (this.#lastOrigin !== "" && url.startsWith(this.#lastOrigin)) {
      this.#lastHost.count++;
      return;
    }
    const hostAt = url.indexOf("//") + 2;
    const hostEnd = url.indexOf("/", hostAt);
    this.#lastHost = this.hosts.add(url.slice(hostAt, hostEnd < 0 ? url.length : hostEnd));
    this.#lastOrigin = hostEnd < 0 ? "" : url.slice(0, hostEnd + 1);
  }

  #addMedia(page: Page): void {
    const { images, videos, changeFrequency, priority } = page;
    const kind = kindOf(page);
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    if (changeFrequency !== undefined) this.withChangeFrequency++;
    if (priority !== undefined) this.withPriority++;
    if (images !== undefined) {
      this.images.pages++;
      this.images.total += images.length;
    }
    if (videos !== undefined) {
      this.videos.pages++;
      this.videos.total += videos.length;
    }
  }

  #addAlternates({ url, alternates = [] }: Page, section: SectionEntry): void {
    const languages = new Set<string>();
    let hasSelf = false;
    for (const { url: other, language } of alternates) {
      if (language === undefined) continue;
      languages.add(language);
      if (other === url && language !== "x-default") hasSelf = true;
    }
    // Links for other media have no language.
    if (languages.size === 0) return;
    this.withHreflang++;
    section.withHreflang++;
    if (!hasSelf) this.withoutSelf++;
    if (languages.delete("x-default")) this.withDefault++;
    for (const language of languages) section.hreflang.add(language);
  }

  #addDate({ value, precision }: DateValue, section: SectionEntry): void {
    const time = value?.getTime() ?? Number.NaN;
    if (Number.isNaN(time)) {
      this.invalidDates++;
      return;
    }
    this.dated++;
    section.dated++;
    const day = dayIndexOf(time);
    if (precision === "year" || precision === "month") this.roughDays.add(day);
    else {
      this.days.add(day);
      this.bulk.add(section.id * DAY_RANGE + day);
    }
    if (precision === "year") {
      this.yearOnly++;
      return;
    }
    const month = monthOfDay(day);
    this.months.add(month);
    section.months.add(month);
  }

  #newSection(): SectionEntry {
    return {
      count: 0,
      id: this.#sectionId++,
      months: new MonthCounts(),
      languages: new BoundedCounts(KEPT.languages, counter),
      hreflang: new BoundedCounts(KEPT.languages, counter),
      folders: new BoundedCounts(KEPT.folders, counter),
      dated: 0,
      withHreflang: 0,
    };
  }

  /** The section ids and days with at least this many pages, the largest first. */
  *bulkDays(least: number): Generator<{ id: number; day: number; pages: number }> {
    for (const [key, { count }] of this.bulk.sorted()) {
      if (count < least) return;
      yield { id: Math.floor(key / DAY_RANGE), day: key % DAY_RANGE, pages: count };
    }
  }
}
