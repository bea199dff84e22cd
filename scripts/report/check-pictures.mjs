/**
 * Renders the sample reports with an installed Chromium and checks what only a browser can check:
 *
 *     node scripts/report/check-pictures.mjs [--pictures DIR]
 *
 * - no text overlaps another text or is cut, in light and dark, on a wide screen and on a phone
 * - axe-core finds no serious or critical violation
 * - text of the site runs no script, causes no request and no violation of the Content-Security-Policy
 * - the file has at most 250 KB
 *
 * Single charts (`renderChart`) are checked for texts that overlap or are cut, in the same views.
 *
 * Needs `npm run build`. CHROMIUM names another executable.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { renderChart, renderReport, siteReport } from "siteatlas";
import { findChromium } from "./find-chromium.mjs";
import { AT, SAMPLES } from "./sample-sites.mjs";

const MAX_BYTES = 250_000;
/** Pictures of these reports are kept. */
const KEPT = ["shop", "scripts"];
const VIEWS = /** @type {const} */ ([
  ["light", "light", 1280],
  ["dark", "dark", 1280],
  ["phone", "light", 375],
]);

const CHARTS = /** @type {const} */ (["sections", "months", "days", "ages", "languages"]);

const { values } = parseArgs({ options: { pictures: { type: "string" } } });
const executablePath = findChromium();
const folder = mkdtempSync(join(tmpdir(), "siteatlas-report-"));
/** @type {string[]} */
const problems = [];

/**
 * Runs in the page. Texts that are cut, overlap each other, or have no contrast with their background.
 *
 * @returns {string[]}
 */
function findTextFaults() {
  /** @type {{ text: string, box: DOMRect, element: Element }[]} */
  const texts = [];
  /** @type {string[]} */
  const faults = [];
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = /** @type {Element} */ (node.parentElement);
    const text = (node.textContent ?? "").trim();
    if (
      text === "" ||
      element.closest("title, desc, style, .sr, details:not([open]) > :not(summary)") !== null
    )
      continue;
    // Only screen readers see the heads of tables that are lists on a phone.
    const head = element.closest("thead");
    if (head !== null && getComputedStyle(head).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of element.closest("svg") ? [element.getBoundingClientRect()] : range.getClientRects()) {
      if (box.width > 1 && box.height > 1) texts.push({ text: text.slice(0, 40), box, element });
    }
  }
  for (const { text, box, element } of texts) {
    const svg = element.closest("svg");
    const around = svg ?? element.closest(".scroll, .card, header, footer");
    if (around === null) continue;
    const outer = around.getBoundingClientRect();
    const isScrolled = !svg && around.classList.contains("scroll");
    if (!isScrolled && (box.left < outer.left - 1 || box.right > outer.right + 1))
      faults.push(`cut: ${text}`);
    if (svg && (box.top < outer.top - 1 || box.bottom > outer.bottom + 2)) faults.push(`cut: ${text}`);
    // A label of the map must stay in its rectangle.
    const tile = element.closest(".map") ? element.parentElement?.querySelector("rect") : undefined;
    if (tile && box.right > tile.getBoundingClientRect().right + 0.5) faults.push(`leaves its tile: ${text}`);
  }
  texts.sort((a, b) => a.box.top - b.box.top);
  for (const [index, a] of texts.entries()) {
    for (const b of texts.slice(index + 1)) {
      if (b.box.top > a.box.bottom) break;
      const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      // The boxes of two lines touch: a font has room above and below its letters.
      if (width > 1 && height > 0.35 * Math.min(a.box.height, b.box.height))
        faults.push(`overlap: ${a.text} | ${b.text}`);
    }
  }
  if (document.documentElement.scrollWidth > window.innerWidth)
    faults.push("the page is wider than the screen");
  return faults;
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const { name, site, events } of SAMPLES) {
    const facts = { command: "siteatlas report www.example.com -o report.html", ms: 11_200, requests: 24 };
    const numbers = await siteReport(events(), { site, at: AT, ...facts });
    const page = renderReport(numbers);
    const path = join(folder, `${name}.html`);
    writeFileSync(path, page);
    const size = Buffer.byteLength(page);
    if (size > MAX_BYTES) problems.push(`${name}: ${size} bytes`);
    for (const [view, colorScheme, width] of VIEWS) await checkView(name, path, view, colorScheme, width);
    for (const chart of CHARTS) await checkChart(`${name}, ${chart}`, renderChart(numbers, chart));
    console.log(`${name}: ${size} bytes`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "no problem" : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Opens a chart as a file of its own. @param {string} name @param {string} svg */
async function checkChart(name, svg) {
  const path = join(folder, "chart.svg");
  writeFileSync(path, svg);
  const url = pathToFileURL(path).href;
  const add = (/** @type {string} */ text) => problems.push(`${name}: ${text}`);
  const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
  page.on("request", (request) => request.url() !== url && add(`request for ${request.url().slice(0, 80)}`));
  page.on("console", (message) => add(`console: ${message.text().slice(0, 200)}`));
  page.on("dialog", () => add("a dialog was opened"));
  await page.goto(url);
  const scripts = await page.evaluate(() => document.querySelectorAll("script").length);
  if (scripts > 0) add("a script is in the chart");
  for (const fault of new Set(await page.evaluate(findTextFaults))) add(fault);
  await page.close();
}

/** @param {string} name @param {string} path @param {string} view @param {"light" | "dark"} colorScheme @param {number} width */
async function checkView(name, path, view, colorScheme, width) {
  // axe needs a script, and the policy of the page forbids all scripts. Look at the page itself first.
  const url = pathToFileURL(path).href;
  const add = (/** @type {string} */ text) => problems.push(`${name} (${view}): ${text}`);
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  page.on("request", (request) => request.url() !== url && add(`request for ${request.url().slice(0, 80)}`));
  page.on("console", (message) => add(`console: ${message.text().slice(0, 200)}`));
  page.on("dialog", () => add("a dialog was opened"));
  await page.goto(url);
  const facts = await page.evaluate(() => ({ title: document.title, scripts: document.scripts.length }));
  if (facts.scripts > 0 || facts.title === "ran" || facts.title === "1") add("a script is in the page");
  for (const fault of new Set(await page.evaluate(findTextFaults))) add(fault);
  if (values.pictures !== undefined && KEPT.includes(name)) {
    mkdirSync(values.pictures, { recursive: true });
    await page.screenshot({ path: join(values.pictures, `report-${name}-${view}.png`), fullPage: true });
  }
  // Open all tables, so that axe sees them, and hover over the chart.
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { violations: found } = await /** @type {any} */ (window).axe.run(document);
    return found
      .filter((/** @type {any} */ { impact }) => impact === "serious" || impact === "critical")
      .map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)} (${nodes.length})`);
  });
  for (const violation of violations) add(`axe: ${violation}`);
  await page.close();
}
