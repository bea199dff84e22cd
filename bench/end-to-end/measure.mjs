/**
 * Runs contestants in turn, each time in a process of its own, and gathers what each run took: time from start
 * to end (ours) and from the call on (its own), processor time and peak memory (its own, as it ends), requests
 * (the server's).
 */
import { fork, spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** Who takes longer is ended. */
const MAX_MS = 300_000;

/** The server's process; `ask` gives its answer. */
export function startServer() {
  const child = fork(new URL("server.mjs", import.meta.url));
  const ask = (question, details = {}) =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`The server ended with ${code}`));
      child.once("exit", onExit);
      child.once("message", ({ result, error }) => {
        child.off("exit", onExit);
        if (error === undefined) resolve(result);
        else reject(new Error(`The server: ${error}`));
      });
      child.send({ question, ...details });
    });
  return { ask, stop: () => child.disconnect() };
}

/** One run. Throws when the contestant fails, unless it is a peer's own failure. */
async function runOnce({ name, group, start, read }, site, env) {
  const { file, args, env: own = {} } = start(site);
  const startedAt = performance.now();
  const child = spawn(file, args, {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: { ...process.env, ...env, ...own },
    timeout: MAX_MS,
    killSignal: "SIGKILL",
  });
  const said = Promise.all([text(child.stderr), text(child.stdio[3])]);
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (...end) => resolve(end));
  });
  const wallMs = performance.now() - startedAt;
  const [stderr, told] = await said;
  const failed = code !== 0;
  if (failed && group !== "peer" && group !== "usp") {
    throw new Error(`${name} ended with ${code ?? signal}:\n${stderr.slice(-2000)}`);
  }
  const facts = told
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const reason = failed ? stderr.trim().split("\n").at(-1) || `ended by ${signal ?? code}` : undefined;
  return { wallMs, failed, reason, ...Object.assign({}, ...facts), ...(failed ? {} : read?.(told, stderr)) };
}

/**
 * Round by round, each round starting with another contestant; `site` is what they are given, or a function of
 * the contestant that shows it first. Who has taken `budgetMs` in all gets no further round.
 */
export async function runRounds(contestants, site, { server, rounds, budgetMs = 30_000, env, say }) {
  const samples = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < contestants.length; i++) {
      const contestant = contestants[(round + i) % contestants.length];
      const own = samples.get(contestant.name);
      if (sum(own.map(({ wallMs }) => wallMs)) > budgetMs) continue;
      const shown = typeof site === "function" ? await site(contestant) : site;
      await server.ask("take");
      const sample = await runOnce(contestant, shown, env);
      const { requests, sentBytes, connections } = await server.ask("take");
      own.push({ ...sample, requests, sentBytes, connections });
      say(`  ${contestant.name}: ${(sample.wallMs / 1000).toFixed(2)} s${describe(sample)}`);
    }
  }
  return contestants.map(({ name, group }) => ({ name, group, samples: samples.get(name) }));
}

const describe = ({ found, failed, reason }) =>
  failed ? `, failed: ${reason}` : found === undefined ? "" : `, ${found} pages`;

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Undefined where nobody measured it. */
export function median(numbers) {
  const known = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
  if (known.length === 0) return undefined;
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

/** The median of one figure of a contestant. */
export const medianOf = ({ samples }, figure) => median(samples.map((sample) => sample[figure]));
