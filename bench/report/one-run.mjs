/** One measurement of bench/report/run.mjs: `node one-run.mjs walk|report HOMEPAGE`. Prints JSON. */
import { renderReport, siteReport, walkSitemaps } from "siteatlas";

const [mode, homepage = ""] = process.argv.slice(2);
const limits = { urls: Number.POSITIVE_INFINITY };
const options = { allowPrivateNetworks: true, limits };
let pages = 0;
let bytes = 0;
if (mode === "report") {
  const numbers = await siteReport(walkSitemaps(homepage, options), { site: homepage });
  pages = numbers.pages.total;
  bytes = Buffer.byteLength(renderReport(numbers));
} else {
  for await (const event of walkSitemaps(homepage, options)) if (event.kind === "page") pages++;
}
const { user, system } = process.cpuUsage();
const cpu = Number(((user + system) / 1e6).toFixed(2));
console.log(JSON.stringify({ pages, cpu, mb: Math.round(process.resourceUsage().maxRSS / 1024), bytes }));
