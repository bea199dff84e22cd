/** The library imports undici only by its public entry, because private paths change without notice. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("no source file imports a private path of undici", () => {
  const src = fileURLToPath(new URL("../../../src/", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const imports = files.flatMap(
    (name) => readFileSync(join(src, name), "utf8").match(/"undici[^"]*"/g) ?? [],
  );
  expect([...new Set(imports)]).toEqual(['"undici"']);
});
