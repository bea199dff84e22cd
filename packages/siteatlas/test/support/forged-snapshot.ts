/** Writes snapshot files as a stranger could forge them: every checksum and length is correct, the content is not. */
import { crc32, gzipSync } from "node:zlib";

type Values = Readonly<Record<string, unknown>>;

const AT = "2026-05-01T00:00:00.000Z";
export const SITEMAP_URL = "https://www.example.com/sitemap.xml";
const PAGE = "https://www.example.com/a";

/** A header with every property that the format has. */
export const HEADER: { readonly facts: Values; readonly sitemap: Values; readonly pending: Values } = {
  facts: {
    format: "siteatlas-snapshot",
    version: 1,
    homepage: "https://www.example.com/",
    startedAt: AT,
    finishedAt: AT,
    pageCount: 1,
    runCount: 1,
    runs: [{ at: AT, added: 1, changed: 0, removed: 0, read: 1, unknown: 0 }],
    absent: ["https://www.example.com/sitemap.txt"],
  },
  sitemap: {
    url: SITEMAP_URL,
    requestedUrl: "https://example.com/sitemap.xml",
    source: "sitemap",
    parents: ["https://www.example.com/index.xml"],
    kind: "pages",
    format: "xml",
    etag: '"a"',
    lastModified: "Fri, 01 May 2026 00:00:00 GMT",
    declared: "2026-05-01",
    contentHash: "0123456789abcdef",
    children: [["https://www.example.com/b.xml", "2026-05-01"], ["https://www.example.com/c.xml"]],
    pageCount: 1,
    isShared: true,
    newestDate: "2026-05-01T10:00:00Z",
    seenAt: AT,
    readAt: AT,
    unknown: {
      code: "http.status",
      status: 503,
      behind: "https://www.example.com/index.xml",
      since: AT,
      times: 1,
      absences: 0,
      absentSince: AT,
      isGone: true,
    },
    isNeverRead: true,
    evidence: {
      declarations: { held: 0, followed: 0, restless: 0, broken: 0, since: AT },
      validators: { held: 0, restless: 0, broken: 0 },
      unread: 0,
      isDateFrozen: true,
      unasked: 0,
    },
    lastmod: { score: 1, absent: 0, bulk: 0, sameDay: 0, generated: 0, future: 0, restamped: 0 },
  },
  pending: { reason: "many", since: AT, times: 1, sitemaps: [SITEMAP_URL], pageCount: 1 },
};

export interface Forged {
  readonly facts?: Values;
  readonly sitemap?: Values;
  /** Adds pending pages. */
  readonly pending?: Values;
  /** The text of the section of pending pages. */
  readonly pendingSection?: string;
  /** The text of the section, or its compressed bytes. */
  readonly section?: string | Buffer;
  /** Changes what the header says about the section. */
  readonly sectionFacts?: Values;
  /** Compressed bytes that follow the lines of the header, in the same place. */
  readonly headerRest?: Buffer;
  /** Replaces the lines of the header. */
  readonly lines?: readonly string[];
}

export function forgeSnapshot(forged: Forged = {}): Buffer {
  const { section = `# ${SITEMAP_URL}\n${PAGE}\n`, headerRest = Buffer.alloc(0) } = forged;
  const { pendingSection = `# pending:0\n${PAGE}\n` } = forged;
  const packed = typeof section === "string" ? gzipSync(Buffer.from(section, "latin1")) : section;
  const packedPending = gzipSync(Buffer.from(pendingSection, "latin1"));
  const size = { ...sizeOf(packed), ...forged.sectionFacts };
  const pending = { ...HEADER.pending, section: sizeOf(packedPending), ...forged.pending };
  const pendingLines = forged.pending === undefined ? [] : [JSON.stringify({ pending })];
  const facts = { ...HEADER.facts, ...forged.facts };
  const sitemap = { ...HEADER.sitemap, section: size, ...forged.sitemap };
  const { lines = [JSON.stringify(facts), JSON.stringify(sitemap), ...pendingLines] } = forged;
  const header = Buffer.concat([packHeader(lines.map((line) => `${line}\n`).join("")), headerRest]);
  header.writeBigUInt64LE(BigInt(header.length), LENGTH_AT);
  return Buffer.concat([header, packed, ...(pendingLines.length === 0 ? [] : [packedPending])]);
}

/** What a header says about a section. */
function sizeOf(packed: Buffer): { bytes: number; hash: string; crc: number } {
  const crc = crc32(packed);
  // A comparison reads only sections whose hashes differ.
  return { bytes: packed.length, hash: crc.toString(16).padStart(16, "0"), crc };
}

/** Where the header says how long it is. */
export const LENGTH_AT = 16;

/** A gzip member with the extra field of a header. */
function packHeader(text: string): Buffer {
  const plain = gzipSync(text);
  const extra = Buffer.from([12, 0, 0x53, 0x41, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const packed = Buffer.concat([plain.subarray(0, 10), extra, plain.subarray(10)]);
  packed[3] = 4;
  return packed;
}

/** A section of pages with these lines. */
export function forgePages(lines: readonly string[]): Buffer {
  const { length: pageCount } = lines;
  const section = [`# ${SITEMAP_URL}`, ...lines].map((line) => `${line}\n`).join("");
  return forgeSnapshot({ facts: { pageCount }, sitemap: { pageCount }, section });
}

/** Gzip members that decompress to `copies` times the text. */
export function bomb(text: string | Buffer, copies: number): Buffer {
  const packed = gzipSync(text);
  return Buffer.concat(Array.from({ length: copies }, () => packed));
}
