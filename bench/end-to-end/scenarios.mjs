/**
 * What is measured, and what it has to show: each scenario gives its tables and its targets. The sizes are those
 * of the targets; quick ones only show that everything runs, and their targets are not judged.
 */
import { floorContestants, nodeContestant, oursContestants, peerContestants } from "./contestants.mjs";
import { median, medianOf, runRounds } from "./measure.mjs";
import { hostOf } from "./small-hosts.mjs";

const MB = 1e6;
const million = (count) => (count / 1e6).toFixed(2);
const times = (number) => `${number.toFixed(2)} ×`;

/** Sizes of everything. */
export function sizesFor(isQuick) {
  return isQuick
    ? { bodies: 4, pages: 500, few: 3, largeBodies: 6, largePages: 300, sites: 40, atOnce: 20, latencyMs: 10 }
    : {
        bodies: 20,
        pages: 50_000,
        few: 10,
        largeBodies: 75,
        largePages: 34_667,
        sites: 2000,
        atOnce: 200,
        latencyMs: 100,
      };
}

const SMALL = { sitemaps: 5, pages: 300 };

/** Opens the three servers. */
export async function openSites(server, port, sizes, isKept) {
  const even = await server.ask("open", {
    name: "even",
    kind: "large",
    port,
    bodies: sizes.bodies,
    pages: sizes.pages,
    isKept,
  });
  const large = await server.ask("open", {
    name: "large",
    kind: "large",
    port: port + 1,
    bodies: sizes.largeBodies,
    pages: sizes.largePages,
    isKept,
  });
  const hostLength = hostOf(0, port + 2).length;
  const { latencyMs } = sizes;
  await server.ask("open", { name: "small", kind: "small", port: port + 2, hostLength, latencyMs, ...SMALL });
  return { even, large, port };
}

/** Has the server show so many sitemaps; what a contestant is told of them. */
async function show(server, name, { origin }, count, isGzip) {
  await server.ask("show", { name, count, isGzip });
  const ending = isGzip ? ".xml.gz" : ".xml";
  const sitemaps = Array.from({ length: count }, (_, i) => `${origin}/sitemap-${i}${ending}`);
  return { origin, index: `${origin}/index.xml`, sitemaps };
}

/** Throws unless all of ours found everything, each time. */
function checkFound(rows, expected) {
  for (const { name, group, samples } of rows) {
    if (group === "peer" || group === "usp") continue;
    for (const { found = expected } of samples) {
      if (found !== expected) throw new Error(`${name} found ${found} of ${expected} pages`);
    }
  }
}

const rowOf = (rows, name) => rows.find((row) => row.name === name);
const hasAll = ({ samples }, expected) => samples.every(({ found }) => found === expected);

// ---------------------------------------------------------------- 1: ten sitemaps of 50,000 URLs

async function tenSitemaps(bench) {
  const { server, sites, sizes, say, isQuick } = bench;
  const ours = oursContestants(bench.build);
  const peers = bench.hasPeers ? peerContestants(say) : [];
  const floors = floorContestants(say);
  const contestants = [...Object.values(ours), ...peers, ...Object.values(floors)];
  const expected = sizes.few * sizes.pages;
  const tables = [];
  const targets = [];
  for (const isGzip of [false, true]) {
    const form = isGzip ? "gzip" : "plain XML";
    say(`${sizes.few} × ${sizes.pages} URLs, ${form}`);
    const site = await show(server, "even", sites.even, sizes.few, isGzip);
    // That everybody runs was seen with plain XML.
    const chosen = isQuick && isGzip ? [ours.stream, floors.undici, floors.regex] : contestants;
    const rows = await runRounds(chosen, site, bench);
    checkFound(rows, expected);
    tables.push({
      title: `${sizes.few} × ${sizes.pages} URLs, ${form}`,
      rows,
      base: "streamPages",
    });
    if (!isQuick) targets.push(...tenTargets(rows, expected, form));
  }
  return { tables, targets };
}

function tenTargets(rows, expected, form) {
  const stream = rowOf(rows, "streamPages");
  const tree = rowOf(rows, "sitemapTreeForHomepage");
  const wall = (row) => medianOf(row, "wallMs");
  const all = rows.filter(({ group }) => group === "ours").every((row) => hasAll(row, expected));
  const targets = [
    { target: `${form}: all ${expected} found`, measured: all ? "all" : "not all", reached: all },
  ];
  const usp = rows.find(({ group }) => group === "usp");
  targets.push(
    usp === undefined || !hasAll(usp, expected)
      ? {
          target: `${form}: the tree at least 20 × USP`,
          measured: usp === undefined ? "USP was not given" : "it does not return all pages",
        }
      : ratioTarget(`${form}: the tree at least 20 × USP`, wall(usp) / wall(tree), 20),
  );
  for (const peer of rows.filter(({ group }) => group === "peer")) {
    const isRegex = peer.name.startsWith("get-sitemap-links");
    if (!hasAll(peer, expected)) {
      const found = peer.samples.map(({ found = 0 }) => found).join(", ");
      targets.push({
        target: `${form}: against ${peer.name}`,
        measured: `it does not return all pages (${found})`,
      });
      continue;
    }
    const least = isRegex ? 1 : 5;
    targets.push(
      ratioTarget(`${form}: streamPages at least ${least} × ${peer.name}`, wall(peer) / wall(stream), least),
    );
  }
  for (const name of ["streamPages", "siteatlas ls -f urls"]) {
    const peak = Math.max(...rowOf(rows, name).samples.map(({ peakBytes }) => peakBytes)) / MB;
    targets.push({
      target: `${form}: peak RSS of ${name} at most 150 MB`,
      measured: `${peak.toFixed(0)} MB`,
      reached: peak <= 150,
    });
  }
  return targets;
}

const ratioTarget = (target, ratio, least) => ({ target, measured: times(ratio), reached: ratio >= least });

// ---------------------------------------------------------------- 2: 75 sitemaps, 2.6 million URLs

async function largeSite(bench) {
  const { server, sites, sizes, say, isQuick } = bench;
  const { largeBodies: count, largePages: pages } = sizes;
  const ours = oursContestants(bench.build);
  const floors = floorContestants(say);
  say(`${count} sitemaps, ${million(count * pages)} million URLs, gzip`);
  const site = await show(server, "large", sites.large, count, true);
  const contestants = [ours.urls, floors.undici];
  if (!isQuick) contestants.push(floors.undiciLoop, ours.stream, ours.batches, floors.sockets);
  if (!isQuick && floors.curl !== undefined) contestants.push(floors.curl);
  const rows = await runRounds(contestants, site, bench);
  if (!isQuick) {
    const once = { ...bench, rounds: 1 };
    rows.push(...(await runRounds([ours.ndjson, ours.parquet, ours.tree], site, once)));
  }
  checkFound(rows, count * pages);
  const title = `${count} sitemaps, ${million(count * pages)} million URLs, gzip`;
  const table = { title, rows, base: floors.undici.name };
  if (isQuick) return { tables: [table], targets: [] };
  const memory = await memoryBySize(bench, ours, rows);
  const wall = ({ name }) => medianOf(rowOf(rows, name), "wallMs");
  const ratio = (floor) => wall(ours.urls) / wall(floor);
  const target = "`siteatlas ls -f urls >/dev/null` within 2.5 × the time of";
  return {
    tables: [table, memory.table],
    targets: [floors.undici, floors.undiciLoop]
      .map((floor) => ({
        target: `${target} ${floor.name}`,
        measured: times(ratio(floor)),
        reached: ratio(floor) <= 2.5,
      }))
      .concat(memory.targets),
  };
}

/** Garbage comes and goes; the URLs of 2.3 million pages alone are 180 MB. */
const MAX_GROWTH_MB = 40;

async function memoryBySize({ server, sites, sizes, ...bench }, ours, wholeRows) {
  const { largeBodies: count, largePages: pages } = sizes;
  const counts = [Math.ceil(count / 10), Math.ceil(count / 2)];
  const streaming = [ours.stream, ours.urls, ours.ndjson];
  const cells = new Map(streaming.map(({ name }) => [name, []]));
  for (const part of counts) {
    bench.say(`${million(part * pages)} million URLs, for the memory`);
    const site = await show(server, "large", sites.large, part, true);
    const rows = await runRounds(streaming, site, { ...bench, server, rounds: Math.min(bench.rounds, 3) });
    checkFound(rows, part * pages);
    for (const row of rows) cells.get(row.name).push(medianOf(row, "peakBytes") / MB);
  }
  for (const { name } of streaming) cells.get(name).push(medianOf(rowOf(wholeRows, name), "peakBytes") / MB);
  const head = ["peak RSS in MB", ...[...counts, count].map((part) => `${million(part * pages)} million`)];
  const rows = [...cells].map(([name, list]) => [name, ...list.map((mb) => mb.toFixed(0))]);
  const targets = [...cells].map(([name, list]) => ({
    target: `peak RSS of ${name} independent of the size (at most ${MAX_GROWTH_MB} MB more)`,
    measured: `${list.map((mb) => mb.toFixed(0)).join(" → ")} MB`,
    reached: list.at(-1) - list[0] <= MAX_GROWTH_MB,
  }));
  return { table: { title: "Memory by size", head, cells: rows }, targets };
}

// ---------------------------------------------------------------- 3: many small sites

async function smallSites(bench) {
  const { server, sites, sizes, say } = bench;
  const port = sites.port + 2;
  const { sites: count, atOnce, latencyMs } = sizes;
  const expected = count * SMALL.sitemaps * SMALL.pages;
  // One walk tells which paths it asks for.
  await server.ask("take");
  const walks = (part, concurrency) =>
    nodeContestant("ours", "siteatlas, one shared client", "sites:walks", { sites: part, port, concurrency });
  await runRounds([walks(1, 1)], {}, { ...bench, rounds: 1, say() {} });
  const { paths } = await server.ask("take");
  const details = { sites: count, port, concurrency: atOnce, paths };
  const ours = walks(count, atOnce);
  const bare = nodeContestant("floor", `undici, ${atOnce} hosts, 2 requests each`, "sites:undici", details);
  say(`${count} sites, ${paths.length} requests each, ${latencyMs} ms latency, ${atOnce} at once`);
  const rows = await runRounds([ours, bare], {}, { ...bench, budgetMs: 60_000 });
  checkFound(rows, expected);
  const rate = (row) => median(row.samples.map(({ requests, innerMs }) => (1000 * requests) / innerMs));
  const cells = rows.map((row) => [
    row.name,
    medianOf(row, "requests").toFixed(0),
    medianOf(row, "connections").toFixed(0),
    rate(row).toFixed(0),
    (medianOf(row, "innerMs") / 1000).toFixed(2),
    medianOf(row, "cpuSeconds").toFixed(2),
    ((1e6 * medianOf(row, "cpuSeconds")) / medianOf(row, "requests")).toFixed(0),
    (medianOf(row, "peakBytes") / MB).toFixed(0),
  ]);
  const [walked, hosts] = rows.map(rate);
  const title = `${count} sites of ${SMALL.sitemaps} sitemaps with ${SMALL.pages} pages each, ${latencyMs} ms latency`;
  const head = [
    "",
    "requests",
    "connections",
    "requests per s",
    "s",
    "CPU s",
    "CPU µs per request",
    "peak RSS MB",
  ];
  return {
    tables: [{ title, head, cells }],
    targets: [ratioTarget(`at least 0.8 of the request rate of ${bare.name}`, walked / hosts, 0.8)],
  };
}

// ---------------------------------------------------------------- 4: processor time by size

async function scaling(bench) {
  const { server, sites, sizes, say, isQuick } = bench;
  const counts = isQuick ? [2, 4] : [2, 20, 200];
  const firstUrls = counts[0] * sizes.pages;
  const contestants = counts.map((count) => ({
    ...nodeContestant("ours", `${count * sizes.pages} URLs`, "ours:scaling", { firstUrls }),
    count,
  }));
  say(`processor time at ${contestants.map(({ name }) => name).join(", ")}`);
  const shown = ({ count }) => show(server, "even", sites.even, count, true);
  const rounds = isQuick ? 1 : Math.max(5, bench.rounds);
  const rows = await runRounds(contestants, shown, { ...bench, rounds, budgetMs: Number.POSITIVE_INFINITY });
  for (const [i, row] of rows.entries()) checkFound([row], counts[i] * sizes.pages);
  const perMillion = (row, figure, urls) =>
    row.samples.map((sample) => (1e6 * sample[figure]) / urls).sort((a, b) => a - b);
  const spread = (list) => `${median(list).toFixed(2)} (${list[0].toFixed(2)}–${list.at(-1).toFixed(2)})`;
  const warm = rows.map((row, i) => perMillion(row, "warmCpuSeconds", counts[i] * sizes.pages));
  const cold = rows.flatMap((row) => perMillion(row, "coldCpuSeconds", firstUrls)).sort((a, b) => a - b);
  const medians = warm.map(median);
  const ratio = Math.max(...medians) / Math.min(...medians);
  return {
    tables: [
      {
        title: "CPU seconds per million URLs (streamPages, gzip)",
        head: ["", "median (least–most)"],
        cells: [
          [`${firstUrls} URLs, the first walk of a process`, spread(cold)],
          ...rows.map(({ name }, i) => [`${name}, after a walk of ${firstUrls}`, spread(warm[i])]),
        ],
      },
    ],
    targets: [
      {
        target: `CPU seconds per million URLs constant within 25 %, ${rows.map(({ name }) => name).join(", ")}`,
        measured: `${medians.map((number) => number.toFixed(2)).join(", ")} (${times(ratio)})`,
        reached: ratio <= 1.25,
      },
      {
        target: "the same with the first walk of a process, whose code is not compiled yet",
        measured: `${median(cold).toFixed(2)} (${times(median(cold) / medians.at(-1))})`,
      },
    ],
  };
}

// ---------------------------------------------------------------- 5: memory

async function memory(bench) {
  const { server, sites, sizes, say } = bench;
  const expected = sizes.largeBodies * sizes.largePages;
  say(`memory of ${million(expected)} million pages`);
  const site = await show(server, "large", sites.large, sizes.largeBodies, true);
  const contestants = ["stream", "tree"].map((mode) =>
    nodeContestant("ours", mode, "ours:memory", { mode }, ["--expose-gc"]),
  );
  const rows = await runRounds(contestants, site, { ...bench, rounds: bench.isQuick ? 1 : 3 });
  checkFound(rows, expected);
  const mb = (row, figure) => medianOf(row, figure).toFixed(0);
  const [stream, tree] = rows;
  const perPage = medianOf(tree, "treeBytesPerPage");
  return {
    tables: [
      {
        title: `Memory of ${million(expected)} million pages, in MB above what was there before`,
        head: ["", "before", "most while it walked", "at the end", "of it in use, bytes per page"],
        cells: [
          ["streamPages", mb(stream, "baseMb"), mb(stream, "growthMb"), mb(stream, "heldMb"), "–"],
          ["the tree", mb(tree, "baseMb"), mb(tree, "growthMb"), mb(tree, "heldMb"), perPage.toFixed(1)],
        ],
      },
    ],
    targets: [
      { target: "what one page costs in the tree", measured: `${perPage.toFixed(1)} bytes` },
      {
        target: "what a walk costs besides",
        measured: `${mb(stream, "growthMb")} MB as a stream, ${(medianOf(tree, "growthMb") - (perPage * expected) / 1024 / 1024).toFixed(0)} MB besides a tree`,
      },
    ],
  };
}

export const scenarios = [
  { name: "ten", run: tenSitemaps },
  { name: "large", run: largeSite },
  { name: "sites", run: smallSites },
  { name: "scaling", run: scaling },
  { name: "memory", run: memory },
];
