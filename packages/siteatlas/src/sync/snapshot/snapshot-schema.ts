/**
 * Checks the header of a snapshot. The file is untrusted: every value is checked before it is used. The code does not
 * compile if a property of the format has no check.
 */
import {
  type Check,
  checkAt,
  count,
  fail,
  InvalidValue,
  listOf,
  matching,
  oneOf,
  record,
  shape,
  share,
  text,
  yes,
} from "../../check/check-value.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { issueTable } from "../../model/issue-table.ts";
import { HEADER_TEXT } from "../../walk/document/read-document.ts";
import { DATE, type LastmodTrust } from "../revalidate/lastmod-trust.ts";
import type { DeclaredDateCounts, SitemapEvidence, ValidatorCounts } from "../revalidate/validator-trust.ts";
import { SnapshotError } from "./snapshot-error.ts";
import {
  MAX_SECTION_BYTES,
  type PendingReason,
  pendingName,
  type RunFacts,
  type SectionFacts,
  type SectionOwner,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type SnapshotFacts,
  type SnapshotPending,
  type UnknownFacts,
  type WrittenPending,
  type WrittenSitemap,
} from "./snapshot-format.ts";

/** An http or https URL as `URL` writes it: ASCII, without credentials. It may have a fragment. */
const URL_TEXT = /^(https?:\/\/[!-.0-?A-~]+\/)[!-~]*$/;
/** The origin of the last URL that was correct: most URLs have the same one. */
let lastOrigin = "";

const url: Check<string> = (value) => {
  const [, origin] = (typeof value === "string" && URL_TEXT.exec(value)) || [];
  const isUrl = origin !== undefined && (origin === lastOrigin || URL.canParse(origin));
  if (!isUrl) return fail("an http or https URL without credentials", value);
  lastOrigin = origin;
  return value as string;
};

const moment: Check<string> = (value) => {
  const date = new Date(typeof value === "string" ? value : Number.NaN);
  const isExact = !Number.isNaN(date.getTime()) && date.toISOString() === value;
  return isExact ? value : fail("a date as Date.prototype.toISOString writes it", value);
};

const uint32: Check<number> = (value) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32
    ? (value as number)
    : fail("a whole number of 32 bits", value);

/** The value of a header, which the next sync sends back. A line break would start another header. */
const headerValue = matching(HEADER_TEXT, "the value of an HTTP header");

const run = shape<RunFacts>(
  { at: moment, added: count, changed: count, removed: count, read: count, unknown: count },
  { run: matching(/^[\w-]{16}$/, "an id of 16 characters") },
);

const facts = shape<SnapshotFacts>(
  {
    format: oneOf([SNAPSHOT_FORMAT]),
    version: count,
    homepage: url,
    startedAt: moment,
    finishedAt: moment,
    pageCount: count,
    runCount: count,
    runs: listOf(run),
    absent: listOf(url),
  },
  { formerLocations: listOf(url) },
);

const code = oneOf(Object.keys(issueTable) as IssueCode[]);

const unknown = shape<UnknownFacts>(
  { code, since: moment, times: count, absences: count },
  { status: count, behind: url, absentSince: moment, isGone: yes },
);

const section = shape<SectionFacts>(
  { bytes: count, hash: matching(/^[\w-]{16}$/, "a hash of 16 characters"), crc: uint32 },
  {},
);

const declarations = shape<DeclaredDateCounts>(
  { held: count, followed: count, restless: count, broken: count },
  { since: moment },
);

const validators = shape<ValidatorCounts>({ held: count, restless: count, broken: count }, {});

/** Counts that old snapshots have. They are ignored, because `readAt` of a sitemap has replaced them. */
interface OldCounts {
  readonly unread?: number;
  readonly unasked?: number;
}

const oldEvidence = shape<SitemapEvidence & OldCounts>(
  {},
  { declarations, validators, isDateFrozen: yes, unread: count, unasked: count },
);

const evidence: Check<SitemapEvidence> = (value) => {
  const { unread: _, unasked: __, ...facts } = oldEvidence(value);
  return facts;
};

/** The first snapshots of version 1 have no `sameDay`. */
type WrittenTrust = Omit<LastmodTrust, "sameDay"> & Partial<Pick<LastmodTrust, "sameDay">>;

const writtenTrust = shape<WrittenTrust>(
  {
    score: share,
    absent: share,
    bulk: share,
    generated: share,
    future: share,
    restamped: share,
  },
  { sameDay: share },
);

const lastmod: Check<LastmodTrust> = (value) => ({ sameDay: 0, ...writtenTrust(value) });

const child: Check<readonly [url: string, declared?: string]> = (value) => {
  if (!Array.isArray(value) || value.length < 1 || value.length > 2)
    return fail("an array with a URL and at most one date", value);
  return value.length === 1 ? [url(value[0])] : [url(value[0]), text(value[1])];
};

const parent: Check<string | number> = (value) => (typeof value === "number" ? count(value) : url(value));

const sitemap = shape<WrittenSitemap>(
  {
    url,
    source: oneOf(["given", "robots", "known", "homepage", "sitemap", "llms"]),
    parents: listOf(parent),
    kind: oneOf(["index", "pages"]),
    format: oneOf(["website", "robots", "xml", "text", "rss", "atom", "json", "html", "llms"]),
    children: listOf(child),
    pageCount: count,
    seenAt: moment,
    evidence,
  },
  {
    requestedUrl: url,
    etag: headerValue,
    lastModified: headerValue,
    declared: text,
    contentHash: matching(/^[\w-]{1,100}$/, "a hash"),
    section,
    isShared: yes,
    newestDate: matching(DATE, "a date as a snapshot writes it"),
    readAt: moment,
    unknown,
    isNeverRead: yes,
    lastmod,
  },
);

const reasons: readonly PendingReason[] = ["many", "unlisted", "emptied", "shrunk", "unread", "alive"];

const pending = shape<WrittenPending>(
  {
    pending: shape<WrittenPending["pending"]>(
      { reason: oneOf(reasons), since: moment, times: count, sitemaps: listOf(url), pageCount: count },
      { section },
    ),
  },
  {},
);

/** Checks the first line of a header. `name` is the file, for messages. */
export function readFacts(line: string, name: string): SnapshotFacts {
  return checked(name, "$", (value) => {
    const { format, version } = record(value);
    if (format !== SNAPSHOT_FORMAT || version !== SNAPSHOT_VERSION) {
      const shown = typeof version === "number" ? version : "unknown";
      throw new SnapshotError(
        "unsupported-version",
        `${name} has snapshot version ${shown}, but only version ${SNAPSHOT_VERSION} is supported`,
      );
    }
    return facts(value);
  })(line);
}

/** Checks the line of a sitemap. `number` is that of the sitemap, for messages. */
export function readSitemap(line: string, name: string, number: number): WrittenSitemap {
  const entry = checked(name, `$.sitemaps[${number}]`, sitemap)(line);
  checkSize(entry, entry.url, name);
  return entry;
}

/** Checks the line of pending pages. */
export function readPending(line: string, name: string, number: number): SnapshotPending {
  const { pending: group } = checked(name, `$.pending[${number}]`, pending)(line);
  const url = pendingName(number);
  checkSize(group, url, name);
  return { ...group, url };
}

function checkSize({ section }: Pick<SectionOwner, "section">, what: string, name: string): void {
  if ((section?.bytes ?? 0) <= MAX_SECTION_BYTES) return;
  throw new SnapshotError("too-large", `${name} is too large: the pages of ${what} exceed a limit`);
}

function checked<T>(name: string, place: string, check: Check<T>): (line: string) => T {
  return (line) => {
    try {
      return checkAt(() => place, check, JSON.parse(line));
    } catch (error) {
      if (error instanceof InvalidValue) {
        throw new SnapshotError("invalid", `${name} is not valid: ${error.message}`);
      }
      if (!(error instanceof SyntaxError)) throw error;
      throw new SnapshotError("invalid", `${name} is not valid: ${place} is not JSON`);
    }
  };
}
