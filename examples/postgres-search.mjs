/**
 * A full-text index in PostgreSQL that has exactly the pages that a site declares. Needs the packages `siteatlas` and
 * `pg`. Run it again and again, for example every hour:
 *
 *     DATABASE_URL=postgres://localhost/search node postgres-search.mjs https://example.com/ example.com.snapshot.gz
 *
 *     select url from page where words @@ plainto_tsquery('simple', 'red teapot');
 *
 * The words are those of the URL. For the text of a page, request the page where the row is written.
 */
import { pathToFileURL } from "node:url";
import pg from "pg";
import { syncSite } from "siteatlas";

const TABLE = `
  create table if not exists page (
    url text primary key,
    site text not null,
    last_modified text,
    words tsvector generated always as (to_tsvector('simple', regexp_replace(url, '[^[:alnum:]]+', ' ', 'g'))) stored
  );
  create index if not exists page_words on page using gin (words)`;

const UPSERT = `
  insert into page (url, site, last_modified) values ($1, $2, $3)
  on conflict (url) do update set site = excluded.site, last_modified = excluded.last_modified`;

/** Brings the index up to date. If it fails, nothing is written, and the next call gets the same changes. */
export async function updateIndex(client, site, options) {
  await client.query(TABLE);
  await client.query("begin");
  try {
    for await (const change of syncSite(site, options)) await apply(client, site, change);
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

async function apply(client, site, change) {
  switch (change.kind) {
    case "start":
      // Without a snapshot, every page is reported as added. Rows of an earlier snapshot may be out of date.
      if (change.isFirst) await client.query("delete from page where site = $1", [site]);
      break;
    case "added":
      await client.query(UPSERT, [change.url, site, change.page.lastModified]);
      break;
    case "changed":
      await client.query(UPSERT, [change.url, site, change.after.lastModified]);
      break;
    case "removed":
      await client.query("delete from page where url = $1", [change.url]);
      break;
    case "summary":
      // The snapshot is replaced after this. If that fails, the next call repeats the changes, which does no harm.
      await client.query("commit");
      break;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , site, snapshot] = process.argv;
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    await updateIndex(client, site, { snapshot });
  } finally {
    await client.end();
  }
}
