/**
 * Thirty days of a site. Each day has events, and the changes that a sync must report in the evening. An outage
 * removes nothing: changes during an outage are reported after it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite, type Mood } from "./living-site.ts";
import { NOTHING, syncOnce, TestClock, type Told } from "./support.ts";

interface Day {
  readonly what: string;
  readonly happens: (life: Life) => void;
  readonly told: Partial<typeof NOTHING>;
  /** Further checks. */
  readonly holds?: (told: Told, life: Life) => void;
}

/** Edits of the site. The index declares when each sitemap was last edited. */
class Life {
  readonly site: LivingSite;
  day = 0;

  constructor(site: LivingSite) {
    this.site = site;
  }

  get date(): string {
    return `2026-03-${String(this.day).padStart(2, "0")}`;
  }

  put(name: string, ...paths: string[]): void {
    for (const path of paths) this.#edit(name).set(path, { lastmod: this.date });
  }

  drop(name: string, ...paths: string[]): void {
    for (const path of paths) this.#edit(name).delete(path);
  }

  move(from: string, to: string, ...paths: string[]): void {
    for (const path of paths) {
      const page = this.#edit(from).get(path)!;
      this.#edit(from).delete(path);
      this.#edit(to).set(path, page);
    }
  }

  mood(mood: Mood, ...names: string[]): void {
    for (const name of names) this.site.sitemaps.get(name)!.mood = mood;
  }

  #edit(name: string): LivingSitemap["pages"] {
    const sitemap = this.site.sitemaps.get(name) ?? this.site.add(name, []);
    sitemap.declared = this.date;
    return sitemap.pages;
  }
}

type LivingSitemap = ReturnType<LivingSite["add"]>;

const posts = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `/posts/post-number-${from + index}`);

const days: readonly Day[] = [
  {
    what: "the site opens",
    happens: (life) => {
      life.put("posts", ...posts(1, 20));
      life.put("shop", "/shop/blue-chair", "/shop/red-table", "/shop/old-lamp", "/shop/wall-clock");
      life.put("help", "/help/contact-us", "/help/delivery-times");
    },
    told: {
      added: [
        "/help/contact-us",
        "/help/delivery-times",
        ...posts(1, 20).sort(),
        "/shop/blue-chair",
        "/shop/old-lamp",
        "/shop/red-table",
        "/shop/wall-clock",
      ],
    },
    holds: ({ summary }) => expect(summary.isFirst).toBe(true),
  },
  { what: "nothing happens", happens: () => {}, told: {} },
  {
    what: "a post is written",
    happens: (life) => life.put("posts", "/posts/post-number-21"),
    told: { added: ["/posts/post-number-21"] },
  },
  {
    what: "a post is edited, another deleted",
    happens: (life) => {
      life.put("posts", "/posts/post-number-3");
      life.drop("posts", "/posts/post-number-4");
    },
    told: { changed: ["/posts/post-number-3"], removed: ["/posts/post-number-4"] },
  },
  {
    what: "a page gets an image and a frequency",
    happens: (life) => {
      const pages = life.site.sitemaps.get("shop")!.pages;
      pages.set("/shop/red-table", {
        ...pages.get("/shop/red-table"),
        changefreq: "weekly",
        image: "https://example.com/table.jpg",
      });
    },
    told: { changed: ["/shop/red-table"] },
    holds: ({ changes }) => expect(changes[1]).toMatchObject({ fields: ["changeFrequency", "images"] }),
  },
  {
    what: "a product becomes a help page: it moves between sitemaps",
    happens: (life) => life.move("shop", "help", "/shop/old-lamp"),
    told: { relisted: ["/shop/old-lamp"] },
  },
  {
    what: "the posts are split in two",
    happens: (life) => life.move("posts", "posts-2", ...posts(15, 21)),
    told: { relisted: posts(15, 21).sort() },
  },
  {
    what: "every URL answers 503, and two changes are hidden",
    happens: (life) => {
      life.put("posts-2", "/posts/post-number-22");
      life.drop("shop", "/shop/blue-chair");
      life.mood("down", "posts", "posts-2", "shop", "help");
      life.site.indexMood = "down";
      life.site.robotsMood = "down";
    },
    told: {},
    holds: ({ summary, changes }) => {
      expect(summary.removed).toBe(0);
      expect(changes.filter(({ kind }) => kind === "unknown").length).toBeGreaterThanOrEqual(5);
    },
  },
  {
    what: "every URL except robots.txt is still down",
    happens: (life) => {
      life.site.robotsMood = "well";
    },
    told: {},
  },
  {
    what: "the site is back: hidden changes are reported",
    happens: (life) => {
      life.site.indexMood = "well";
      life.mood("well", "posts", "posts-2", "shop", "help");
    },
    told: { added: ["/posts/post-number-22"], removed: ["/shop/blue-chair"] },
  },
  {
    what: "a sitemap is truncated",
    happens: (life) => {
      life.put("posts", "/posts/post-number-23");
      life.mood("cut", "posts");
    },
    told: { unknown: ["/posts.xml"] },
  },
  {
    what: "the connection breaks at each request",
    happens: (life) => life.mood("broken", "posts"),
    told: { unknown: ["/posts.xml"] },
  },
  {
    what: "the sitemap is complete again",
    happens: (life) => life.mood("well", "posts"),
    told: { added: ["/posts/post-number-23"] },
  },
  {
    what: "a sitemap is removed from the index",
    happens: (life) => {
      life.site.sitemaps.get("help")!.hidden = true;
    },
    told: { pending: ["/help/contact-us", "/help/delivery-times", "/shop/old-lamp"] },
  },
  {
    what: "the sitemap is added to the index again",
    happens: (life) => {
      life.site.sitemaps.get("help")!.hidden = false;
    },
    told: {},
  },
  {
    what: "a build sets the date of all posts to its own time",
    happens: (life) => stampPosts(life),
    told: {
      changed: [...posts(1, 14), "/posts/post-number-23"].filter((path) => !path.endsWith("-4")).sort(),
    },
    holds: ({ changes, summary }) => {
      expect(changes[1]).toMatchObject({ kind: "changed", fields: ["lastModified"], weak: true });
      expect(summary.lastmod.score).toBeLessThan(0.7);
      expect(summary.lastmod.restamped).toBeGreaterThan(0);
    },
  },
  {
    what: "and again",
    happens: (life) => stampPosts(life),
    told: {
      changed: [...posts(1, 14), "/posts/post-number-23"].filter((path) => !path.endsWith("-4")).sort(),
    },
    holds: ({ changes }) => expect(changes[1]).toMatchObject({ weak: true }),
  },
  {
    what: "the server repeats an ETag after a change; the date in the index is right",
    happens: (life) => {
      life.mood("lying-etag", "shop");
      life.put("shop", "/shop/green-sofa");
    },
    told: { added: ["/shop/green-sofa"] },
  },
  {
    what: "the date in the index is wrong, too, but the server is known to repeat ETags",
    happens: (life) => {
      life.site.sitemaps.get("shop")!.pages.set("/shop/tall-mirror", { lastmod: life.date });
    },
    told: { added: ["/shop/tall-mirror"] },
  },
  {
    what: "another server changes its ETag with every response",
    happens: (life) => life.mood("restless-etag", "help"),
    told: {},
  },
  {
    what: "a help page is edited there",
    happens: (life) => life.put("help", "/help/contact-us"),
    told: { changed: ["/help/contact-us"] },
  },
  {
    what: "a page gets another URL with the same name",
    happens: (life) => {
      life.drop("shop", "/shop/red-table");
      life.put("shop", "/furniture/tables/red-table");
    },
    told: { added: ["/furniture/tables/red-table"], removed: ["/shop/red-table"] },
    holds: ({ changes }, { site }) =>
      expect(changes.find(({ kind }) => kind === "removed")).toMatchObject({
        movedTo: site.pageUrl("/furniture/tables/red-table"),
      }),
  },
  {
    what: "two sitemaps list the same page",
    happens: (life) => {
      const page = life.site.sitemaps.get("help")!.pages.get("/help/contact-us")!;
      life.site.sitemaps.get("shop")!.pages.set("/help/contact-us", { ...page });
    },
    told: {},
  },
  {
    what: "one of them stops listing the page",
    happens: (life) => life.drop("help", "/help/contact-us"),
    told: {},
  },
  {
    what: "a sitemap is missing while the index still lists it",
    happens: (life) => life.mood("missing", "posts-2"),
    told: { unknown: ["/posts-2.xml"] },
  },
  {
    what: "the sitemap is back, with one page less",
    happens: (life) => {
      life.mood("well", "posts-2");
      life.drop("posts-2", "/posts/post-number-22");
    },
    told: { removed: ["/posts/post-number-22"] },
  },
  {
    what: "most posts are deleted at once",
    happens: (life) => life.drop("posts", ...posts(1, 14)),
    told: {
      pending: posts(1, 14)
        .filter((path) => !path.endsWith("-4"))
        .sort(),
    },
    holds: ({ changes, summary }) => {
      expect(summary).toMatchObject({ isMassRemoval: true, pending: 13, removed: 0 });
      expect(changes.filter((change) => change.kind === "pending" && change.reason === "many")).toHaveLength(
        13,
      );
    },
  },
  {
    what: "the deleted posts are restored",
    happens: (life) => life.put("posts", ...posts(1, 14)),
    told: {
      added: ["/posts/post-number-4"],
      changed: posts(1, 14)
        .filter((path) => !path.endsWith("-4"))
        .sort(),
    },
  },
  {
    what: "the site moves to another host",
    happens: (life) => {
      life.site.pageOrigin = "http://www.example.org";
      for (const name of life.site.sitemaps.keys()) life.site.sitemaps.get(name)!.declared = life.date;
    },
    told: {},
    holds: ({ changes, summary }, { site }) => {
      const pages = [...site.truth().keys()].sort();
      expect(summary).toMatchObject({ added: pages.length, pending: pages.length, isMassRemoval: true });
      const added = changes.flatMap((change) => (change.kind === "added" ? [change] : []));
      expect(added.map(({ url }) => url).sort()).toEqual(pages);
    },
  },
  { what: "nothing happens there", happens: () => {}, told: {} },
];

/** Days whose lists are checked by `holds` alone. */
const OPEN = new Set(["the site moves to another host"]);

function stampPosts(life: Life): void {
  const stamp = `${life.date}T04:00:00Z`;
  const sitemap = life.site.sitemaps.get("posts")!;
  sitemap.declared = life.date;
  for (const page of sitemap.pages.values()) page.lastmod = stamp;
}

test("thirty days: each sync reports the changes of its day, and no others", async () => {
  expect(days).toHaveLength(30);
  const site = await LivingSite.start();
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });
  const life = new Life(site);
  const clock = new TestClock();
  for (const { what, happens, told: expected, holds } of days) {
    life.day++;
    happens(life);
    const told = await syncOnce(site, join(folder, "site.snapshot.gz"));
    clock.pass(24);
    const { added, changed, removed, pending, relisted, unknown } = told;
    if (!OPEN.has(what)) {
      const isDark = site.indexMood === "down";
      expect({ what, added, changed, removed, pending, relisted, ...(isDark ? {} : { unknown }) }).toEqual({
        what,
        ...NOTHING,
        ...expected,
        ...(isDark && { unknown: undefined }),
      });
    }
    holds?.(told, life);
  }
});
