/** Faults of a site that hide its true pages until `heal`. */
import type { LivingSite, LivingSitemap, Mood } from "./living-site.ts";

export class SiteFaults {
  readonly #ends: (() => void)[] = [];

  /** Drops a share of the pages of these sitemaps. */
  lose(site: LivingSite, names: readonly string[], share: number): void {
    for (const sitemap of sitemapsOf(site, names)) {
      const all = sitemap.pages;
      sitemap.pages = new Map([...all].slice(0, Math.floor(all.size * (1 - share))));
      this.#ends.push(() => {
        sitemap.pages = all;
      });
    }
  }

  /** Drops these sitemaps from their index. */
  hide(site: LivingSite, names: readonly string[]): void {
    for (const sitemap of sitemapsOf(site, names)) {
      const { hidden = false } = sitemap;
      sitemap.hidden = true;
      this.#ends.push(() => {
        sitemap.hidden = hidden;
      });
    }
  }

  mood(site: LivingSite, names: readonly string[], mood: Mood): void {
    for (const sitemap of sitemapsOf(site, names)) {
      const { mood: before } = sitemap;
      sitemap.mood = mood;
      this.#ends.push(() => {
        sitemap.mood = before;
      });
    }
  }

  indexMood(site: LivingSite, mood: Mood): void {
    site.indexMood = mood;
    this.#ends.push(() => {
      site.indexMood = "well";
    });
  }

  robotsMood(site: LivingSite, mood: Mood): void {
    site.robotsMood = mood;
    this.#ends.push(() => {
      site.robotsMood = "well";
    });
  }

  /** Every URL answers in this way. */
  wholeMood(site: LivingSite, mood: Mood): void {
    this.mood(site, [...site.sitemaps.keys()], mood);
    this.indexMood(site, mood);
    this.robotsMood(site, mood);
    site.pageMood = mood;
    this.#ends.push(() => {
      site.pageMood = "well";
    });
  }

  /** Drops this index from robots.txt. */
  unlist(site: LivingSite, index: string): void {
    site.unlisted.add(index);
    this.#ends.push(() => void site.unlisted.delete(index));
  }

  heal(): void {
    for (const end of this.#ends.splice(0).reverse()) end();
  }
}

function sitemapsOf(site: LivingSite, names: readonly string[]): LivingSitemap[] {
  return names.flatMap((name) => site.sitemaps.get(name) ?? []);
}
