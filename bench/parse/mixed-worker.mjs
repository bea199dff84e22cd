/** One process of mixed.mjs: prints the CPU time per page of each shape. The first third of the rounds is not counted. */
import { cpuClock } from "./cpu-clock.mjs";
import { shapes } from "./shapes.mjs";

const [entry, rounds, pages] = process.argv.slice(2);
const { parseSitemap } = await import(entry);
const encoder = new TextEncoder();
const documents = shapes.map(({ name, url, document }) => ({
  name,
  url,
  bytes: encoder.encode(document(Number(pages))),
  ms: 0,
  pages: 0,
}));

const first = Math.floor(Number(rounds) / 3);
for (let round = 0; round < Number(rounds); round++) {
  for (const document of documents) {
    const start = cpuClock.now();
    const sitemap = await parseSitemap(document.bytes, { url: document.url });
    const ms = cpuClock.now() - start;
    if (sitemap.kind !== "pages") throw new Error(`${document.name}: ${sitemap.kind}`);
    if (round >= first) {
      document.ms += ms;
      document.pages += sitemap.pages.length;
    }
  }
  // A process that reads many sites collects its garbage now and then, often while no document is being read.
  globalThis.gc();
}
console.log(
  JSON.stringify(Object.fromEntries(documents.map(({ name, ms, pages }) => [name, (1000 * ms) / pages]))),
);
