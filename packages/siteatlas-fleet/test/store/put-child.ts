/** Puts objects into a store until it is killed, and prints each: `node put-child.mjs URL SCRATCH`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { selfProving } from "./self-proving.ts";

const [, , url = "", scratch = ""] = process.argv;
const store = await openStore(url);
// Few keys, so that objects are also replaced.
for (let i = 0; ; i++) {
  const key = `killed/${i % 5}/object`;
  const file = join(scratch, `child-${process.pid}-${i}`);
  writeFileSync(file, selfProving(4_000_000 + (i % 3) * 1_000_000));
  process.stdout.write(`begin ${key}\n`);
  await store.put(key, file);
  process.stdout.write(`end ${key}\n`);
}
