/**
 * How often and from which seed the random tests run. `npm test` and CI run a quarter of the number that a test
 * states, FUZZ_FACTOR=1 the whole number, and `npm run fuzz` 100 times as many. The seed is fixed, so that a run that
 * fails in CI fails everywhere. FUZZ_SEED takes another seed (`random` picks one and prints it).
 */

const fixedSeed = 20_261_115;

const QUICK_SHARE = 0.25;

const { FUZZ_FACTOR: factor } = process.env;

/** At least 1: for time limits, and for numbers that `npm test` does not reduce. */
export const fuzzFactor: number = Number(factor || 1);

export const runs = (n: number): number => Math.ceil(n * (factor ? fuzzFactor : QUICK_SHARE));

export const seed: number = chooseSeed(process.env["FUZZ_SEED"]);

function chooseSeed(wanted: string | undefined): number {
  if (!wanted) return fixedSeed;
  if (wanted !== "random") {
    const number = Number(wanted);
    if (!Number.isInteger(number))
      throw new RangeError(`FUZZ_SEED must be an integer or "random": ${wanted}`);
    return number;
  }
  const picked = Math.floor(Math.random() * 2 ** 31);
  console.log(`FUZZ_SEED=${picked}`);
  return picked;
}
