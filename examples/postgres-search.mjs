/**
 * A full-text index in PostgreSQL that has exactly the pages that a site declares. Needs the packages `siteatlas` and
 * `pg`. Run it again and again, for example every hour:
 *
 *     DATABASE_URL=postgres://localhost/search node postgres-search.mjs https://example.com/ example.com.snapshot.gz
 *
 *     select distinct url from page where words @@ plainto_tsquery('simple', 'red teapot');
 *
 * The words are those of the URL. For the text of a page, request the page where the row is written.
 *
 * The table `site` has the run that the rows are from. If the snapshot is from another run, the rows are replaced by the
 * pages of the snapshot. This happens if the process was killed between the commit and the new snapshot, if two
 * processes ran at once, or if the database or the snapshot was restored from a backup.
 */
import { pathToFileURL } from "node:url";
import pg from "pg";
import { readSnapshot, syncSite } from "siteatlas";

const TABLES = `
  create table site (url text primary key, run text);
  create table page (
    url text,
    site text,
    last_modified text,
    words tsvector generated always as (to_tsvector('simple', regexp_replace(url, '[^[:alnum:]]+', ' ', 'g'))) stored,
    primary key (url, site)
  );
  create index page_words on page using gin (words)`;

const UPSERT = `
  insert into page (url, site, last_modified) values ($1, $2, $3)
  on conflict (url, site) do update set last_modified = excluded.last_modified`;

/** Brings the index up to date. If it fails, nothing is written, and the next call gets the same changes. */
export async function updateIndex(client, site, options) {
  // "create … if not exists" would wait for the transactions of all other sites.
  const { rows } = await client.query("select to_regclass('page') as page");
  if (rows[0].page === null) await client.query(TABLES);
  await client.query("begin");
  try {
    for await (const change of syncSite(site, options)) await apply(client, site, change, options.snapshot);
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

async function apply(client, site, change, snapshot) {
  switch (change.kind) {
    case "start":
      await prepareRows(client, site, change, snapshot);
      break;
    case "added":
      await client.query(UPSERT, [change.url, site, change.page.lastModified]);
      break;
    case "changed":
      await client.query(UPSERT, [change.url, site, change.after.lastModified]);
      break;
    case "removed":
      await client.query("delete from page where url = $1 and site = $2", [change.url, site]);
      break;
    case "summary":
      // The snapshot is replaced after the commit.
      await client.query("commit");
      break;
    case "failure":
      // There is no snapshot, and no page was found: the site may be down. The rows are kept.
      await client.query("rollback");
      break;
  }
}

/** Makes sure that the rows are the pages of the snapshot, because the changes of this run follow on it. */
async function prepareRows(client, site, { run, isFirst, previousRun }, snapshot) {
  // The row also makes other processes wait that update the same site.
  await client.query("insert into site (url) values ($1) on conflict do nothing", [site]);
  const { rows } = await client.query("select run from site where url = $1 for update", [site]);
  await client.query("update site set run = $2 where url = $1", [site, run]);
  if (!isFirst && rows[0].run === previousRun) return;
  await client.query("delete from page where site = $1", [site]);
  // A first sync reports every page as added.
  if (isFirst) return;
  const saved = await readSnapshot(snapshot);
  try {
    for await (const { url, lastModified } of saved.pages())
      await client.query(UPSERT, [url, site, lastModified]);
  } finally {
    await saved.close();
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
