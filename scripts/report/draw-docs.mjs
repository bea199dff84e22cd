/**
 * Draws the pictures of docs/report.md with an installed Chromium: `npm run docs:report`. The site is an invented shop
 * (sample-sites.mjs), so that the pictures change only if the report does.
 *
 * Needs `npm run build`. CHROMIUM names another executable.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { renderChart, renderReport, siteReport } from "siteatlas";
import { findChromium } from "./find-chromium.mjs";
import { AT, SAMPLES } from "./sample-sites.mjs";

const ASSETS = fileURLToPath(new URL("../../docs/assets/", import.meta.url));
/** The names of the pictures, with color scheme, width and height. They show the top of the page. */
const VIEWS = /** @type {const} */ ([
  ["report.png", "light", 1280, 1190],
  ["report-dark.png", "dark", 1280, 1190],
  ["report-phone.png", "light", 390, 1190],
]);

const shop = SAMPLES.find(({ name }) => name === "shop");
if (shop === undefined) throw new Error("The sample site shop is missing.");
const facts = { command: "siteatlas report www.example.com -o report.html", ms: 11_200, requests: 24 };
const numbers = await siteReport(shop.events(), { site: shop.site, at: AT, ...facts });
writeFileSync(join(ASSETS, "chart-months.svg"), renderChart(numbers, "months"));

const folder = mkdtempSync(join(tmpdir(), "siteatlas-docs-"));
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
try {
  const path = join(folder, "report.html");
  writeFileSync(path, renderReport(numbers));
  for (const [name, colorScheme, width, height] of VIEWS) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await page.goto(pathToFileURL(path).href);
    await page.screenshot({ path: join(ASSETS, name) });
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
