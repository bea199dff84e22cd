/** Single charts: well-formed SVG with a title and a description, and without anything that a site could inject. */
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { AT, SAMPLES } from "../../../../scripts/report/sample-sites.mjs";
import { renderChart } from "../../src/report/render/render-chart.ts";
import { CHART_NAMES, type SiteReport } from "../../src/report/report-model.ts";
import { siteReport } from "../../src/report/site-report.ts";

const reports = new Map<string, Promise<SiteReport>>();

function numbersOf(name: string): Promise<SiteReport> {
  const { site, events } = SAMPLES.find((sample) => sample.name === name)!;
  const report = reports.get(name) ?? siteReport(events(), { site, at: AT });
  reports.set(name, report);
  return report;
}

/** The elements of an XML document, and the text of `title` and `desc` at its top. */
function readSvg(text: string): { tags: Set<string>; title: string; description: string } {
  const parser = new SaxesParser({ xmlns: true });
  const [tags, open] = [new Set<string>(), [] as string[]];
  const texts: Record<string, string> = {};
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    tags.add(name);
    open.push(name);
    for (const [attribute, { value }] of Object.entries(attributes)) {
      expect(attribute).not.toMatch(/^(?:on|style$|src|href|xlink)/);
      expect(value).not.toMatch(/url\(|javascript:/);
    }
  });
  parser.on("text", (part) => {
    const path = open.join(">");
    texts[path] = (texts[path] ?? "") + part;
  });
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  return { tags, title: texts["svg>title"] ?? "", description: texts["svg>desc"] ?? "" };
}

const TAGS = new Set(["svg", "title", "desc", "style", "g", "rect", "path", "circle", "text"]);

describe.each(SAMPLES.map(({ name }) => name))("the charts of %s", (name) => {
  it.each(CHART_NAMES)("%s is well-formed, and has only its own elements", async (chart) => {
    const svg = renderChart(await numbersOf(name), chart);
    const { tags, title, description } = readSvg(svg);
    for (const tag of tags) expect(TAGS).toContain(tag);
    expect(title).toContain("2026-11-14");
    expect(description.length).toBeGreaterThan(20);
    expect(Buffer.byteLength(svg)).toBeLessThan(100_000);
  });
});

it("describes the numbers for people who cannot see the chart", async () => {
  const shop = await numbersOf("shop");
  const described = (chart: (typeof CHART_NAMES)[number]): string =>
    readSvg(renderChart(shop, chart)).description;
  expect(readSvg(renderChart(shop, "sections")).title).toBe(
    "Where the pages are: www.example.com, 2026-11-14: ≥ 80,049 pages",
  );
  expect(described("sections")).toMatch(/^Sections of the site by number of pages: \/news 40,\d+ \(51%\); /);
  expect(described("months")).toMatch(/Most pages have 2026-11: \d,\d+\. By year: 2019 /);
  expect(described("days")).toMatch(/Most pages have 2026-\d\d-\d\d: /);
  expect(described("ages")).toMatch(/up to 1 day [\d,]+ \(5%\); .*no date 1,100 \(1%\)\.$/);
  expect(described("languages")).toMatch(/^Pages by declared language\. en 22,\d+ \(28%\); de /);
});

it("says why a chart is empty", async () => {
  const nothing = await numbersOf("nothing");
  expect(renderChart(nothing, "sections")).toContain("The sitemaps list no pages.</text>");
  expect(renderChart(nothing, "months")).toContain("The sitemaps have no dates (lastmod).</text>");
  expect(renderChart(await numbersOf("one-page"), "languages")).toContain("do not declare languages.</text>");
  expect(() => renderChart(nothing, "constructor" as "ages")).toThrow("unknown chart constructor");
});

it("explains the marks of the months", async () => {
  expect(renderChart(await numbersOf("shop"), "months")).toMatch(
    />1: 2,\d+ pages of \/docs have the date 2026-09-03, 33% of the dates there</,
  );
});
