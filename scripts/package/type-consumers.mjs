/** Programs of users, which are compiled against the packed types. */

/**
 * What consumers compile: `siteatlas/parse` and `siteatlas/escape` with nothing but the language, `siteatlas` and
 * `siteatlas/output` on Node.
 */
export const consumers = {
  parse: {
    types: [],
    text: `
import { type Entry, type Issue, type Page, parseEntries, parseRobotsTxt, parseSitemap, type Sitemap } from "siteatlas/parse";

export async function main(): Promise<void> {
  const sitemap: Sitemap = await parseSitemap("<urlset/>", { url: "https://example.com/sitemap.xml" });
  for (const page of sitemap.pages) {
    const url: Page["url"] = page.url;
    const modified: Date | undefined = page.lastModified?.value;
    void [url, modified];
  }
  if (sitemap.kind === "invalid") void sitemap.reason;
  const issues: readonly Issue[] = sitemap.issues;
  for await (const entry of parseEntries(new Uint8Array())) {
    const typed: Entry = entry;
    if (typed.kind === "page") void typed.page.url;
  }
  void [issues, parseRobotsTxt("").sitemaps];
  // @ts-expect-error A number is not a source
  await parseSitemap(1);
}
`,
  },
  escape: {
    types: [],
    text: `
import { csvCell, htmlHref, htmlText, jsonLine, type LogLineOptions, logLine, MAX_MESSAGE_LENGTH, redactHeaders, safeFileName, terminalText } from "siteatlas/escape";

const options: LogLineOptions = { maxLength: MAX_MESSAGE_LENGTH };
export const texts: readonly string[] = [
  terminalText("a"),
  logLine("a", options),
  csvCell(undefined, { raw: true }),
  htmlText("a") + htmlHref("a"),
  jsonLine({ a: 1 }),
  safeFileName("example.com", "json"),
];
export const headers: Record<string, string | readonly string[] | undefined> = redactHeaders({ cookie: ["a"] });
// @ts-expect-error A number is not a text
terminalText(1);
`,
  },
  output: {
    types: ["node"],
    text: `
import { type FieldName, type PageRecord, type ParquetColumn, type ParquetSink, ParquetTable, pageColumns, toRecord } from "siteatlas/output";

interface Row {
  readonly site: string;
  readonly page: PageRecord;
}

export async function main(sink: ParquetSink, fields: readonly FieldName[]): Promise<void> {
  const site: ParquetColumn<Row> = { name: "site", type: "string", isRequired: true, value: (row) => row.site };
  const columns = [site, ...pageColumns((row: Row) => row.page, fields)];
  const table = new ParquetTable(sink, columns, { name: "page", metadata: { tool: "test" } });
  table.add({ site: "a", page: toRecord({ url: "https://example.com/" }, "https://example.com/sitemap.xml") });
  const count: number = table.rowCount;
  await table.end();
  void count;
  // @ts-expect-error No such type
  new ParquetTable<Row>(sink, [{ name: "a", type: "text", value: (row) => row.site }]);
}
`,
  },
  main: {
    types: ["node"],
    text: `
import { deepStrictEqual } from "node:assert";
import { allPages, type IndexRobotsTxtSitemap, type IndexWebsiteSitemap, loadTree, type Page, type PagesRssSitemap, parseSitemap, saveTree, type Sitemap, sitemapTreeForHomepage, streamPages, TreeError, treeFromJson, type WalkEvent, type WalkOptions, walkSitemaps } from "siteatlas";
import { parseSitemap as fromParse } from "siteatlas/parse";

export async function main(): Promise<void> {
  const tree: IndexWebsiteSitemap = await sitemapTreeForHomepage("https://example.com/", { limits: { urls: 10 } });
  for (const page of allPages(tree, { unique: true })) void page.url;
  for await (const page of streamPages("https://example.com/")) void page.lastModified?.value;
  for await (const event of walkSitemaps("https://example.com/", { signal: AbortSignal.timeout(1000) })) {
    const typed: WalkEvent = event;
    if (typed.kind === "sitemap") void typed.sitemap.outcome;
  }
  const again: IndexWebsiteSitemap = treeFromJson(JSON.parse(JSON.stringify(tree)));
  await saveTree(again, new URL("file:///tree.gz"));
  deepStrictEqual(await loadTree("tree.gz"), tree);
  const part: Sitemap = await loadTree("tree.gz", { root: "any", maxBytes: undefined });
  const newest: readonly Page[] = part.pages.slice(-10).concat(part.pages.filter((page) => page.priority === 1));
  const first: Page | undefined = part.pages.at(0);
  void [newest, first, part.pages.map(({ url }) => url), part.pages.toArray()];
  if (part.kind === "pages" && part.format === "rss") ((feed: PagesRssSitemap) => feed)(part);
  if (part.kind === "index" && part.format === "robots") ((robots: IndexRobotsTxtSitemap) => robots)(part);
  const maybe: { readonly userAgent?: string; readonly urls?: number } = {};
  const options: WalkOptions = { userAgent: maybe.userAgent, limits: { urls: maybe.urls }, signal: undefined };
  void [options, TreeError];
  const same: typeof parseSitemap = fromParse;
  void same;
  // @ts-expect-error No such option
  await sitemapTreeForHomepage("https://example.com/", { useRobot: false });
}
`,
  },
};
