/**
 * What an index of texts has to do, from what siteatlas tells: `upsert` for pages that are new or changed, `delete`
 * for those that are gone, and `rename` where a page only moved. A first sync starts with `clear`.
 *
 *     siteatlas sync example.com | node rag-list.mjs > todo.ndjson
 */
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { kind, isFirst, url, page, after, movedFrom, movedTo } = JSON.parse(line);
  // Without a snapshot, all pages follow: the index drops what it has.
  if (kind === "start" && isFirst) tell({ action: "clear" });
  if (kind === "added" && movedFrom !== undefined) tell({ action: "rename", from: movedFrom, url });
  if (kind === "added" || kind === "changed") {
    tell({ action: "upsert", url, lastModified: (page ?? after).lastModified });
  }
  // A page that moved was renamed above.
  if (kind === "removed" && movedTo === undefined) tell({ action: "delete", url });
}

function tell(task) {
  console.log(JSON.stringify(task));
}
