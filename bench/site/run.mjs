/**
 * Streams the large site, then holds it as a tree, each in a process of its own, and prints time, pages
 * and memory: `npm run bench:site`. What it must show: the first page comes before the second sitemap
 * is asked for or within 200 ms; the stream grows RSS by less than 120 MB, the tree by less than 200 MB.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { measureMemory } from "./memory.mjs";

if (process.send) {
  process.once("message", async ([mode, homepage]) => {
    process.send(await measureMemory(await import("siteatlas"), mode, homepage));
    process.disconnect();
  });
} else {
  const path = (name) => fileURLToPath(new URL(name, import.meta.url));
  const server = spawn(process.execPath, [path("large-site.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  const [homepage] = await once(createInterface(server.stdout), "line");
  for (const mode of ["stream", "tree"]) {
    const child = fork(path("run.mjs"), { execArgv: ["--expose-gc"] });
    child.send([mode, homepage]);
    const [result] = await once(child, "message");
    console.log(JSON.stringify(result));
  }
  server.kill();
}
