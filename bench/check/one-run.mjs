/** One run of bench/check: `bare` or `check`, URL, number of pages, concurrency. Prints pages per second. */
import { Agent, request } from "undici";
import { checkPages } from "../../packages/siteatlas/dist/index.js";

const [what, url, pages, concurrency] = [
  process.argv[2],
  process.argv[3],
  Number(process.argv[4]),
  Number(process.argv[5]),
];
const startedAt = performance.now();
let checked = 0;
if (what === "check") {
  const options = { concurrency, allowPrivateNetworks: true, onProgress: () => checked++ };
  for await (const { rule } of checkPages(url, { ...options, useKnownPaths: false, useHomepageLinks: false }))
    if (rule !== "page.duplicate-content") throw new Error(rule);
} else {
  const dispatcher = new Agent({ connections: concurrency });
  const worker = async () => {
    while (checked < pages) {
      const { body } = await request(`${url}page-${checked++}`, { dispatcher });
      await body.bytes();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await dispatcher.close();
}
if (checked !== pages) throw new Error(`${checked} of ${pages} pages`);
console.log(Math.round((1000 * pages) / (performance.now() - startedAt)));
process.exit();
