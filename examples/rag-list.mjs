/**
 * What an index of texts has to do, from what siteatlas tells: `upsert` for pages that are new or changed, `delete`
 * for those that are gone, and `rename` where a page only moved.
 *
 *     siteatlas sync example.com | node rag-list.mjs > todo.ndjson
 */
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { op, url, lastModified, after, movedFrom, movedTo } = JSON.parse(line);
  if (op === "added" && movedFrom !== undefined) tell({ action: "rename", from: movedFrom, url });
  if (op === "added" || op === "changed") {
    tell({ action: "upsert", url, lastModified: lastModified ?? after?.lastModified });
  }
  // A page that moved was renamed above.
  if (op === "removed" && movedTo === undefined) tell({ action: "delete", url });
}

function tell(task) {
  console.log(JSON.stringify(task));
}
