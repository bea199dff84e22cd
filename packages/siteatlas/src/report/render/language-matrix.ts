/** Languages and sections: how many pages each section has in each language, and where hreflang links are missing. */
import { readablePath } from "../readable-text.ts";
import type { SiteReport } from "../report-model.ts";
import { count, number, percent, shortNumber } from "../report-text.ts";
import { HEAT_LEVELS } from "./colors.ts";
import { card, dataTable, foreign, type Html, html, scrollable } from "./html.ts";
import { swatch } from "./month-chart.ts";
import { sectionColor } from "./section-map.ts";

const MAX_LANGUAGES = 8;
const MAX_SECTIONS = 10;
const MAX_ROWS = 40;

export function languageMatrix(report: SiteReport, detail: number): Html | undefined {
  const { languages, sections, pages, made } = report;
  if (pages.total === 0 || made.unknown.includes("languages")) return undefined;
  const all = Object.keys(languages.pages);
  if (all.length === 0) {
    return card(
      "languages",
      "Languages",
      languages.withHreflang > 0
        ? "Pages have hreflang links, but the links do not name the language of the page itself."
        : "The sitemaps do not declare languages, neither by hreflang links nor in news entries.",
      media(report),
    );
  }
  const shown = all.slice(0, MAX_LANGUAGES);
  const lines = sections.slice(0, MAX_SECTIONS).filter((one) => Object.keys(one.languages).length > 0);
  const [main] = all;
  const more = all.length - shown.length;
  const head = shown.map((name) => html`<th scope="col" class="m"><bdi>${shortName(name)}</bdi></th>`);
  const rows = lines.map((section) => {
    const rank = sections.indexOf(section);
    const base = section.languages[main!] ?? 0;
    const most = Math.max(...shown.map((name) => section.languages[name] ?? 0));
    const cells = shown.map((name) => cell(section.languages[name] ?? 0, name === main ? 0 : base, most));
    return html`<tr><th scope="row">${swatch(sectionColor(rank))}${foreign(readablePath(section.path, 24))}</th>${cells}</tr>`;
  });
  const gaps = sections
    .flatMap(({ path, hreflangGaps, withHreflang }) =>
      Object.entries(hreflangGaps).map(([language, missing]) => ({ path, language, missing, withHreflang })),
    )
    .sort((a, b) => b.missing - a.missing);
  const maxRows = Math.ceil(MAX_ROWS * detail);
  const gapRows = gaps
    .slice(0, maxRows)
    .map(({ path, language, missing, withHreflang }) => [
      foreign(readablePath(path, 40)),
      foreign(shortName(language)),
      number(missing),
      percent(missing, withHreflang),
    ]);
  return card(
    "languages",
    "Languages and sections",
    html`Number of pages, and its ratio to the ${foreign(shortName(main!))} pages of the section.${more > 0 && ` ${count(more, "more language")} ${more === 1 ? "is" : "are"} in the table of all languages.`}`,
    scrollable(
      "Languages and sections",
      html`<table class="matrix"><caption class="sr">Pages by section and language</caption><thead><tr><th scope="col"><span class="sr">Section</span></th>${head}</tr></thead><tbody>${rows}</tbody></table>`,
    ),
    html`<p class="note">${hreflangText(report)}</p>`,
    gapRows.length > 0 &&
      dataTable(
        "hreflang gaps (pages whose links do not include a language)",
        ["Section", "Language", "Pages", "Share"],
        gapRows,
        gaps.length,
      ),
    dataTable(
      "all languages",
      ["Language", "Pages", "Share"],
      Object.entries(languages.pages)
        .slice(0, maxRows)
        .map(([name, number_]) => [foreign(shortName(name)), number(number_), percent(number_, pages.total)]),
      all.length,
    ),
    media(report),
  );
}

/** Language codes are short, unless a site invents them. */
export function shortName(language: string): string {
  return readablePath(language, 12);
}

function cell(value: number, base: number, most: number): Html {
  if (value === 0) return html`<td class="m m0">–</td>`;
  const level = Math.min(3, Math.ceil((3 * value) / most));
  const ratio = base === 0 ? undefined : html`<small>${Math.round((100 * value) / base)}%</small>`;
  return html`<td class="m m${Math.min(level, HEAT_LEVELS)}">${shortNumber(value)}${ratio}</td>`;
}

function hreflangText({ languages, pages }: SiteReport): string {
  const { withHreflang, withoutSelf, withDefault } = languages;
  if (withHreflang === 0) return "No page has hreflang links. The languages are those of news articles.";
  const parts = [`${percent(withHreflang, pages.total)} of the pages have hreflang links.`];
  if (withoutSelf > 0)
    parts.push(`${number(withoutSelf)} of them do not link to themselves, which search engines require.`);
  parts.push(
    withDefault === 0
      ? "None has an x-default."
      : `${percent(withDefault, withHreflang)} of them have an x-default.`,
  );
  return parts.join(" ");
}

/** Kinds of pages, depth of URLs, images and videos. */
function media({ pages, made }: SiteReport): Html | undefined {
  if (made.unknown.includes("media")) return undefined;
  const kinds: readonly (readonly [string, number, string])[] = [
    ["with images", pages.images.pages, `${number(pages.images.total)} images`],
    ["with videos", pages.videos.pages, `${number(pages.videos.total)} videos`],
    ["news articles", pages.kinds.news ?? 0, ""],
    ["entries of feeds", pages.kinds.feed ?? 0, ""],
    ["with a change frequency", pages.withChangeFrequency, "ignored by Google"],
    ["with a priority", pages.withPriority, "ignored by Google"],
    ["with a query in the URL", pages.withQuery, ""],
    ["with http: URLs", pages.insecure, ""],
  ];
  const rows = kinds
    .filter(([, value]) => value > 0)
    .map(
      ([name, value, note]) =>
        html`<tr><th scope="row">${name}</th><td class="n">${number(value)}</td><td class="n soft">${percent(value, pages.total)}</td><td class="soft">${note}</td></tr>`,
    );
  const depths = pages.depths.map((value, depth) => [
    depth === pages.depths.length - 1 ? `${depth} or more` : String(depth),
    number(value),
  ]);
  return html`<h3>What the pages are</h3>${rows.length > 0 ? html`<table class="facts"><caption class="sr">Kinds of pages</caption><thead class="sr"><tr><th scope="col">Kind</th><th scope="col">Pages</th><th scope="col">Share</th><th scope="col">Note</th></tr></thead><tbody>${rows}</tbody></table>` : html`<p class="note">Pages without further data: no images, videos, news or priorities.</p>`}${dataTable("depth of URLs (folders and names in the path)", ["Depth", "Pages"], depths)}`;
}
