/** The files of an outbox: what counts after a crash, and what is refused. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { newRun } from "../../../../src/cli/changes/change-record.ts";
import type { DeliveryError } from "../../../../src/cli/changes/delivery.ts";
import { Batch } from "../../../../src/cli/changes/outbox/batch-file.ts";
import { Outbox, WEBHOOK } from "../../../../src/cli/changes/outbox/outbox.ts";
import type { OutboxDelivery } from "../../../../src/cli/changes/outbox/outbox-delivery.ts";
import { deliverToWebhook } from "../../../../src/cli/changes/webhook/deliver-webhook.ts";
import { processStart } from "../../../../src/cli/process/process-start.ts";
import type { PageChange } from "../../../../src/sync/changes.ts";
import { syncSite } from "../../../../src/sync/sync-site.ts";
import type { SyncSummary } from "../../../../src/sync/sync-summary.ts";
import { LivingSite } from "../../../sync/living-site.ts";
import { emptyFolder } from "../../support/cli.ts";

const SITE = "https://a.test/";
const SUMMARY = { kind: "summary", homepage: SITE } as SyncSummary;
const added = (number: number): PageChange => ({
  kind: "added",
  url: `${SITE}${number}`,
  page: { url: `${SITE}${number}` },
  sitemaps: [],
});

interface Case {
  readonly snapshot: string;
  readonly folder: string;
  readonly delivery: OutboxDelivery;
  readonly bodies: string[];
  readonly problems: DeliveryError[];
  readonly stop: AbortController;
  /** Status of the answers. */
  status: number;
}

async function openCase(more: { site?: string; maxBytes?: number; snapshot?: string } = {}): Promise<Case> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (given.status === 204) given.bodies.push(body);
    response.writeHead(given.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await given.delivery.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const snapshot = more.snapshot ?? join(emptyFolder(), "a.snapshot.gz");
  const problems: DeliveryError[] = [];
  const delivery = deliverToWebhook({
    ...{ snapshot, site: SITE, ...more },
    webhook: { url: `http://127.0.0.1:${port}/`, keys: [], userAgent: "test" },
    signal: stop.signal,
    backoffMs: 1,
    inTurn: (send) => send(),
    onProblem: (error) => problems.push(error),
    onRecovery: () => {},
  });
  const folder = `${snapshot}.outbox`;
  const given: Case = { snapshot, folder, delivery, bodies: [], problems, stop, status: 204 };
  return given;
}

/** Writes the changes of a run. It is not committed. */
async function prepare({ delivery }: Case, changes: number): Promise<void> {
  await delivery.start(newRun(SITE));
  for (let number = 0; number < changes; number++) await delivery.change(added(number));
  await delivery.finish(SUMMARY, true);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const batches = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".ndjson")) : [];

test("a run is sent only after its commit, and its file is deleted", async () => {
  const given = await openCase();
  await prepare(given, 3);
  expect([given.bodies.length, batches(given.folder).length]).toEqual([0, 1]);
  await given.delivery.commit();
  await until(() => batches(given.folder).length === 0);
  expect(given.bodies).toHaveLength(1);
  await given.delivery.close();
  expect(existsSync(given.folder)).toBe(false);
});

test("a run that is dropped, or that has nothing to tell, leaves no file", async () => {
  const given = await openCase();
  await prepare(given, 3);
  await given.delivery.drop();
  expect(batches(given.folder)).toEqual([]);
  await given.delivery.start(newRun(SITE));
  await given.delivery.change(added(1));
  await given.delivery.finish(SUMMARY, false);
  await given.delivery.commit();
  expect([batches(given.folder), given.bodies]).toEqual([[], []]);
});

describe("after a crash, a prepared run", () => {
  async function crash(isCommitted: boolean): Promise<Case> {
    const site = await LivingSite.start();
    onTestFinished(() => site.close());
    site.add("a", ["/a1"]);
    const given = await openCase();
    const { snapshot, folder } = given;
    let start = newRun(SITE);
    for await (const change of syncSite(site.url, { snapshot, useKnownPaths: false })) {
      if (change.kind === "start" && isCommitted) start = change;
    }
    const outbox = await Outbox.open(snapshot, SITE, WEBHOOK);
    const writer = await outbox.prepare(start.run);
    const head = { id: `${start.run}-1`, sequence: 1, isLast: true, site: SITE };
    await writer.add(JSON.stringify({ ...start, ...head, kind: "changes" }));
    await writer.end();
    await outbox.close();
    expect(batches(folder)).toEqual([`prepared-${start.run}.ndjson`]);
    return given;
  }

  it("counts if the snapshot lists it", async () => {
    const given = await crash(true);
    await (await given.delivery.resume())();
    await until(() => batches(given.folder).length === 0);
    expect(given.bodies).toHaveLength(1);
  });

  it("is deleted if the snapshot does not: the next sync finds the changes again", async () => {
    const given = await crash(false);
    await (await given.delivery.resume())();
    expect([batches(given.folder), given.bodies]).toEqual([[], []]);
  });
});

describe("a file that is damaged or forged", () => {
  const damages: Readonly<Record<string, (text: string) => string>> = {
    "cut in a line": (text) => text.slice(0, -100),
    "cut after a line": (text) => text.replace(/end .*\n$/, ""),
    empty: () => "",
    "of another program": () => "hello\nworld\n",
    "with a changed byte": (text) => text.replace("https://a.test/0", "https://a.test/X"),
    "with a swapped delivery": (text) => {
      const [first, one, two, ...rest] = text.split("\n");
      return [first, two, one, ...rest].join("\n");
    },
    "with another delivery": (text) => text.replace(/\nend /, `\n{"kind":"changes","id":"x"}\nend `),
    "of another site": (text) => text.replaceAll('"site":"https://a.test/"', '"site":"https://b.test/"'),
    "with text after its end": (text) => `${text}{}\n`,
    "with a wrong count": (text) => text.replace("1 0000000000", "1 0000000099"),
    "of a later version": (text) => text.replace("siteatlas-outbox 1", "siteatlas-outbox 2"),
  };

  it.each(Object.keys(damages))("is not sent, and blocks later runs: %s", async (name) => {
    const given = await openCase();
    given.status = 500;
    await prepare(given, 2000);
    await given.delivery.commit();
    await until(() => given.problems.length > 0);
    given.stop.abort();
    await given.delivery.close();
    const [file = ""] = batches(given.folder);
    const path = join(given.folder, file);
    const whole = readFileSync(path, "utf8");
    const later = await openCase({ snapshot: given.snapshot });
    writeFileSync(path, damages[name]!(whole));
    await expect(Batch.open(path, SITE)).rejects.toThrow(/cannot be sent: /);
    await (await later.delivery.resume())();
    await until(() => later.problems.length > 0);
    expect(later.problems[0]!.message).toContain("00000001.ndjson cannot be sent: ");
    expect(later.problems[0]!.hint).toContain("move it away");
    expect(later.bodies).toEqual([]);
    // After a repair, the next sync sends it.
    writeFileSync(path, whole);
    await later.delivery.start(newRun(SITE));
    await until(() => batches(given.folder).length === 0);
    expect(later.bodies.length).toBeGreaterThan(1);
  });

  it("is sent if the site is now given with another scheme", async () => {
    const given = await openCase();
    given.status = 500;
    await prepare(given, 1);
    await given.delivery.commit();
    await until(() => given.problems.length > 0);
    given.stop.abort();
    await given.delivery.close();
    const later = await openCase({ snapshot: given.snapshot, site: SITE.replace("https:", "http:") });
    await (await later.delivery.resume())();
    await until(() => later.bodies.length + later.problems.length > 0);
    expect(later.problems).toEqual([]);
    expect(JSON.parse(later.bodies[0]!)).toMatchObject({ site: SITE });
  });

  it("is ignored if it is a link", async () => {
    const given = await openCase();
    mkdirSync(given.folder);
    const other = join(emptyFolder(), "other");
    writeFileSync(other, "secret");
    symlinkSync(other, join(given.folder, "00000001.ndjson"));
    await (await given.delivery.resume())();
    await given.delivery.close();
    expect([given.problems, given.bodies]).toEqual([[], []]);
  });
});

test("while too much waits, no sync starts", async () => {
  const given = await openCase({ maxBytes: 1000 });
  given.status = 500;
  await prepare(given, 100);
  await given.delivery.commit();
  await expect(given.delivery.start(newRun(SITE))).rejects.toThrow("of changes wait for the webhook");
  given.status = 204;
  await until(() => batches(given.folder).length === 0);
  await given.delivery.start(newRun(SITE));
});

describe("an outbox that is deleted while siteatlas runs", () => {
  it("is created again, and the deliveries that it had are reported as lost", async () => {
    const given = await openCase();
    given.status = 500;
    for (const changes of [1, 2]) {
      await prepare(given, changes);
      await given.delivery.commit();
    }
    await until(() => given.problems.length > 0);
    rmSync(given.folder, { recursive: true });
    // The first run is being sent, and its file is open. The second one is lost.
    await prepare(given, 3);
    expect(given.problems.at(-1)!.message).toBe(
      `${given.folder} was deleted. The webhook never gets the 1 delivery that waited in it`,
    );
    await given.delivery.commit();
    given.status = 204;
    await until(() => given.bodies.length === 2);
    const sent = given.bodies.map((body) => (JSON.parse(body) as { changes: unknown[] }).changes.length);
    expect(sent).toEqual([1, 3]);
    await given.delivery.settled();
    expect(given.delivery.waiting!.runs).toBe(0);
  });

  it("is reported by the sender if no sync follows", async () => {
    const given = await openCase();
    given.status = 500;
    for (const changes of [1, 2]) {
      await prepare(given, changes);
      await given.delivery.commit();
    }
    await until(() => given.problems.length > 0);
    rmSync(given.folder, { recursive: true });
    given.status = 204;
    await given.delivery.settled();
    expect(given.problems.at(-1)!.message).toContain("never gets the 1 delivery that waited in it");
    expect(given.bodies).toHaveLength(1);
  });

  it("is not a problem if nothing waited", async () => {
    const given = await openCase();
    await prepare(given, 1);
    await given.delivery.commit();
    await until(() => given.bodies.length === 1);
    await given.delivery.settled();
    rmSync(given.folder, { recursive: true });
    await given.delivery.start(newRun(SITE));
    await given.delivery.finish(SUMMARY, false);
    await prepare(given, 2);
    await given.delivery.commit();
    await until(() => given.bodies.length === 2);
    expect(given.problems).toEqual([]);
  });

  it("keeps the old snapshot if its file is missing before the commit", async () => {
    const given = await openCase();
    await given.delivery.start(newRun(SITE));
    await given.delivery.change(added(1));
    for (let number = 0; number < 1500; number++) await given.delivery.change(added(number));
    rmSync(given.folder, { recursive: true });
    await expect(given.delivery.finish(SUMMARY, true)).rejects.toThrow("was deleted during the sync");
    await given.delivery.drop();
    await prepare(given, 1);
    await given.delivery.commit();
    await until(() => given.bodies.length === 1);
  });

  it("says so if it is deleted in the moment of the commit", async () => {
    const given = await openCase();
    await prepare(given, 1);
    rmSync(given.folder, { recursive: true });
    await expect(given.delivery.commit()).rejects.toThrow(
      "was deleted. The webhook never gets the changes of this sync that waited in it",
    );
  });
});

test("an outbox belongs to one process", async () => {
  const given = await openCase();
  await prepare(given, 1);
  // A process that is alive: the one that started this test.
  const [own = ""] = readdirSync(given.folder).filter((name) => name.startsWith(".lock."));
  const others = join(given.folder, own.replace(`-${process.pid}-`, `-${process.ppid}-`));
  await given.delivery.drop();
  await given.delivery.close();
  mkdirSync(given.folder, { recursive: true });
  for (const start of ["", processStart(process.ppid) ?? ""]) {
    writeFileSync(others, start);
    await expect(Outbox.open(given.snapshot, SITE, WEBHOOK)).rejects.toThrow(
      `process ${process.ppid} already delivers the changes in `,
    );
  }
  // Only Linux tells when a process was started.
  if (processStart(process.ppid) === undefined) return;
  // The lock of a dead process, whose id belongs to another program now.
  writeFileSync(others, processStart(process.pid)!);
  await (await Outbox.open(given.snapshot, SITE, WEBHOOK)).close();
});
