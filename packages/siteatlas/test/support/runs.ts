/**
 * How often and from which seed the property tests run. The seed is fixed, so that a run that fails in
 * CI fails everywhere; `npm run fuzz` runs 100 times as many, and FUZZ_SEED takes another seed
 * (`random` picks one and prints it).
 */

const fixedSeed = 20_261_115;

export const fuzzFactor: number = Number(process.env["FUZZ_FACTOR"] ?? 1);

export const runs = (n: number): number => n * fuzzFactor;

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
