/**
 * Sites for pictures of reports, as events of a walk. Their numbers are invented and always the same.
 *
 * @typedef {import("siteatlas").WalkEvent} WalkEvent
 * @typedef {{ name: string, site: string, events: () => Generator<WalkEvent> }} SampleSite
 */

export const AT = new Date("2026-11-14T22:40:00Z");
const DAY = 86_400_000;

/** @param {number} state @returns {() => number} numbers from 0 to 1 */
function randomOf(state) {
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {number} days before the report @returns {import("siteatlas").DateValue} */
function date(days) {
  const value = new Date(AT.getTime() - days * DAY);
  return { text: value.toISOString(), value, precision: "time" };
}

/**
 * @param {string} url
 * @param {Partial<import("siteatlas").WalkedSitemap>} facts
 * @returns {WalkEvent}
 */
function sitemap(url, facts) {
  const base = { outcome: "found", source: "sitemap", level: 1, kind: "pages", format: "xml" };
  const counts = { pageCount: 0, childCount: 0, issueCount: 0, duplicateCount: 0 };
  return { kind: "sitemap", sitemap: /** @type {any} */ ({ url, ...base, ...counts, ...facts }) };
}

/** @param {string} code @param {string} severity @param {string} url @param {object} [more] @returns {WalkEvent} */
function issue(code, severity, url, more) {
  return { kind: "issue", issue: /** @type {any} */ ({ code, severity, url, ...more }) };
}

const SHOP = "https://www.example.com";
/** Folder, pages, sub-folders, share of translated pages, dates. */
const SECTIONS = [
  ["news", 41000, ["world", "sport", "politics", "business", "culture", "climate", "science"], 0.9, "steady"],
  ["products", 25300, ["shoes", "jackets", "accessories", "bags", "kids", "sale"], 1, "recent"],
  ["docs", 8500, ["reference", "api", "guides", "tutorials", "faq"], 1, "bulk"],
  ["events", 2600, ["2025", "2024", "2026"], 1, "steady"],
  ["blog", 1300, ["engineering", "company", "design"], 0, "steady"],
  ["help", 1100, ["orders", "account", "returns"], 0.8, "none"],
  ["careers", 223, ["jobs"], 0, "recent"],
  ["legal", 77, [], 1, "steady"],
];
const LANGUAGES = /** @type {const} */ ([
  ["en", 1],
  ["de", 0.7],
  ["fr", 0.66],
  ["es", 0.5],
  ["ja", 0.42],
  ["pt-BR", 0.28],
  ["pl", 0.11],
]);

/** @returns {Generator<WalkEvent>} */
function* shop() {
  const random = randomOf(7);
  for (const [section, pages, folders, translated, dates] of /** @type {any[]} */ (SECTIONS)) {
    const sum = LANGUAGES.reduce((all, [, share]) => all + (share === 1 ? 1 : share * translated), 0);
    const groups = Math.round(pages / sum);
    for (let at = 0; at < groups; at++) {
      const folder = folders[Math.floor(folders.length * random() ** 1.7)];
      const path = `${section}/${folder === undefined ? "" : `${folder}/`}item-${at}`;
      const has = LANGUAGES.filter(([name, share]) => name === "en" || random() < share * translated);
      const alternates = has.map(([language]) => ({
        language,
        url: `${SHOP}/${language === "en" ? "" : `${language.toLowerCase()}/`}${path}`,
      }));
      for (const { url } of alternates) {
        const age =
          dates === "recent"
            ? 600 * random() ** 3
            : dates === "bulk" && random() < 0.33
              ? 72.2
              : 2850 * random() ** (dates === "steady" ? 1.6 : 2.4);
        const day = AT.getTime() / DAY - age;
        const isWeekend = dates === "steady" && Math.floor(day + 3) % 7 > 4;
        const lastModified = dates === "none" ? undefined : date(isWeekend && random() < 0.8 ? age + 2 : age);
        const images = section === "products" ? [{ url: `${SHOP}/i/${at}.jpg` }] : undefined;
        const page = {
          url,
          ...(lastModified && { lastModified }),
          ...(translated > 0 && { alternates }),
          ...(images && { images }),
        };
        yield {
          kind: "page",
          page: /** @type {any} */ (page),
          sitemapUrl: `${SHOP}/sitemap-${section}.xml.gz`,
        };
      }
    }
  }
  yield issue("xml.truncated", "error", `${SHOP}/sitemap-archive.xml`, { line: 4421 });
  yield issue("date.format", "warning", `${SHOP}/sitemap-archive.xml`, { line: 17, value: "14/11/2026" });
  yield issue("url.scheme-mismatch", "info", `${SHOP}/blog/feed.xml`, { line: 9 });
  yield issue("date.future", "info", `${SHOP}/blog/feed.xml`, { line: 88 });
  const http = (/** @type {number} */ bytes, /** @type {number} */ ms, status = 200) => ({
    http: { status, bytes, ms },
  });
  const index = `${SHOP}/sitemap.xml`;
  const inIndex = { parentUrl: index, level: 2 };
  yield sitemap(`${SHOP}/robots.txt`, {
    kind: "index",
    format: "robots",
    source: "robots",
    level: 0,
    childCount: 1,
    ...http(412, 38),
  });
  yield sitemap(index, { kind: "index", parentUrl: `${SHOP}/robots.txt`, childCount: 10, ...http(9800, 54) });
  for (const [section, pages] of /** @type {any[]} */ (SECTIONS)) {
    const lastModified = date(section === "docs" ? 72 : 1);
    const facts = { ...inIndex, pageCount: pages, lastModified, ...http(pages * 31, 80 + pages / 60) };
    yield sitemap(`${SHOP}/sitemap-${section}.xml.gz`, /** @type {any} */ (facts));
  }
  yield sitemap(
    `${SHOP}/sitemap-events-2024.xml`,
    /** @type {any} */ ({
      ...inIndex,
      outcome: "failed",
      kind: "invalid",
      format: undefined,
      code: "http.status",
      reason: "404",
      ...http(1200, 61, 404),
    }),
  );
  yield sitemap(
    `${SHOP}/sitemap-archive.xml`,
    /** @type {any} */ ({
      ...inIndex,
      partial: true,
      cutBy: "xml.truncated",
      pageCount: 1106,
      issueCounts: { "xml.truncated": 1, "date.format": 418 },
      ...http(210_000, 402),
    }),
  );
  yield sitemap(
    `${SHOP}/blog/feed.xml`,
    /** @type {any} */ ({
      format: "rss",
      source: "homepage",
      level: 0,
      pageCount: 50,
      issueCounts: { "url.scheme-mismatch": 37, "date.future": 12 },
      ...http(91_000, 120),
    }),
  );
}

/** @returns {Generator<WalkEvent>} */
function* onePage() {
  yield {
    kind: "page",
    page: { url: "https://one.example/", lastModified: date(3) },
    sitemapUrl: "https://one.example/sitemap.xml",
  };
  yield sitemap("https://one.example/sitemap.xml", {
    source: "known",
    level: 0,
    pageCount: 1,
    http: { status: 200, bytes: 310, ms: 41 },
  });
}

/** @returns {Generator<WalkEvent>} */
function* nothing() {
  yield sitemap(
    "https://nothing.example/robots.txt",
    /** @type {any} */ ({
      source: "robots",
      level: 0,
      kind: "invalid",
      format: undefined,
      outcome: "failed",
      code: "http.timeout",
    }),
  );
}

const EVIL = [
  "<script>document.title='ran'</script>",
  '"><img src=x onerror="document.title=\'ran\'">',
  "</title><svg onload=document.title='ran'>",
  "'onmouseover='document.title=1",
  "{{7*7}}$`{7*7}<!--",
  "\u202egnp.exe\u2066\u200b\u0000\u001b[31m",
  "a".repeat(8000),
  "%3Cscript%3Edocument.title=%27ran%27%3C/script%3E",
  "javascript:alert(1)",
  "]]></style><style>*{display:none}</style>",
  "&#x3c;script&#x3e;",
  "W".repeat(190),
];

/** @returns {Generator<WalkEvent>} */
function* hostile() {
  const site = "https://evil.example";
  for (const [rank, text] of EVIL.entries()) {
    for (const [order, other] of EVIL.entries()) {
      for (let at = 0; at < 3 + ((rank * 7 + order * 3) % 11); at++) {
        const page = {
          url: `${site}/${text.replaceAll("/", "%2F")}/${other.replaceAll("/", "%2F")}/${at}`,
          title: text,
          lastModified: { ...date(at * 40 + rank), text: other },
          alternates: [
            { url: `${site}/x`, language: text.slice(0, 60) },
            {
              url: `${site}/${text.replaceAll("/", "%2F")}/${other.replaceAll("/", "%2F")}/${at}`,
              language: other.slice(0, 40),
            },
          ],
        };
        yield { kind: "page", page: /** @type {any} */ (page), sitemapUrl: `${site}/${text}` };
      }
    }
    yield sitemap(
      `${site}/${text}`,
      /** @type {any} */ ({
        parentUrl: `${site}/${EVIL[0]}`,
        pageCount: 90 - rank,
        lastModified: { text },
        http: { status: 200, bytes: 1e9 * rank, ms: 1e6 * rank },
      }),
    );
    yield issue("url.invalid", "error", `${site}/${text}`, { line: 1e9, value: text });
    yield issue("date.invalid", "warning", `${site}/${text}`, { value: text });
  }
}

const SCRIPTS = [
  "أخبار",
  "مقالات-طويلة-جدا",
  "חדשות",
  "新闻中心",
  "ニュース",
  "제품",
  "ไทย",
  "हिन्दी",
  "Ελληνικά",
  "👩‍👩‍👧‍👦🏳️‍🌈",
];

/** @returns {Generator<WalkEvent>} */
function* scripts() {
  const site = "https://مثال.example";
  const random = randomOf(3);
  for (const [rank, name] of SCRIPTS.entries()) {
    for (let at = 0; at < 4000 / (rank + 1); at++) {
      const folder = SCRIPTS[Math.floor(SCRIPTS.length * random() ** 2)];
      const url = encodeURI(`${site}/${name}/${folder}/${at}`);
      const language = ["ar", "he", "zh-Hans", "ja", "ko"][at % 5] ?? "ar";
      yield {
        kind: "page",
        page: { url, lastModified: date(900 * random() ** 2), alternates: [{ url, language }] },
        sitemapUrl: `${site}/sitemap.xml`,
      };
    }
    yield sitemap(encodeURI(`${site}/${name}/خريطة.xml`), {
      pageCount: Math.round(4000 / (rank + 1)),
      http: { status: 200, bytes: 40_000, ms: 90 },
    });
  }
}

/** Many sections, each with many folders, and long names: the largest file that a site can cause. */
function* widest() {
  const site = "https://wide.example";
  for (let section = 0; section < 260; section++) {
    for (let at = 0; at < 300 - section; at++) {
      const url = `${site}/${"'\"<&".repeat(40)}${section}/${"<'".repeat(60)}${at % 60}/p`;
      const language = `x-${"a".repeat(8)}-${at % 38}`;
      yield/** @type {WalkEvent} */ ({
        kind: "page",
        page: { url, lastModified: date(section * 37 + at), alternates: [{ url, language }] },
        sitemapUrl: site,
      });
    }
    yield sitemap(`${site}/${"'<".repeat(900)}${section}`, {
      pageCount: section,
      http: { status: 200, bytes: 1, ms: 1 },
    });
  }
}

/** @type {readonly SampleSite[]} */
export const SAMPLES = [
  { name: "shop", site: `${SHOP}/`, events: shop },
  { name: "one-page", site: "https://one.example/", events: onePage },
  { name: "nothing", site: "https://nothing.example/", events: nothing },
  { name: "hostile", site: "https://evil.example/", events: hostile },
  { name: "scripts", site: "https://مثال.example/", events: scripts },
  { name: "widest", site: "https://wide.example/", events: widest },
];
