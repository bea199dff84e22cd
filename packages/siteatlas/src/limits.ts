/**
 * The bounds of one document, and how limits are read: the same for a parse and for a walk, whose limits hold
 * these, too. `0` means none at all, `Infinity` no bound, absent the default.
 */

/** Bounds of one document, whatever it says. What is beyond them is dropped or cut, and reported. */
export interface ParseLimits {
  /** Elements that are open at once; beyond it the outer ones are forgotten. Stops `<a><a><a>` without end. @default 64 */
  readonly elementDepth?: number;
  /** Attributes of a tag that are read. @default 256 */
  readonly attributes?: number;
  /** Namespaces that a tag declares. @default 64 */
  readonly namespaces?: number;
  /** Bytes of the name of an element or an attribute. @default 1024 */
  readonly nameBytes?: number;
  /** Bytes of a tag or a value, characters of a line of text. Stops a `<loc>` of 100 MB. @default 65_536 */
  readonly tokenBytes?: number;
  /** Characters of a title, a caption or another text; the rest is cut off. @default 4096 */
  readonly textLength?: number;
  /** Characters of a URL. @default 8192 */
  readonly urlLength?: number;
  /** Images of a page. @default 1000 */
  readonly imagesPerUrl?: number;
  /** Videos of a page. @default 100 */
  readonly videosPerUrl?: number;
  /** Alternates of a page in other languages or for other devices. @default 1000 */
  readonly alternatesPerUrl?: number;
  /** Members of a gzip file. Not in browsers. @default 1000 */
  readonly gzipMembers?: number;
  /** Layers of compression. Stops gzip in gzip, where each layer multiplies by up to 1,032. @default 3 */
  readonly compressionLayers?: number;
  /** Issues that are kept, of one code a tenth of it; the rest are counted. @default 100 */
  readonly issues?: number;
  /** Bytes of robots.txt up to which rules are read (RFC 9309, section 2.5). @default 512_000 */
  readonly robotsBytes?: number;
  /** Bytes of a line of robots.txt. @default 16_664 */
  readonly robotsLineBytes?: number;
}

export const PARSE_LIMITS: Required<ParseLimits> = {
  elementDepth: 64,
  attributes: 256,
  namespaces: 64,
  nameBytes: 1024,
  tokenBytes: 65_536,
  textLength: 4096,
  urlLength: 8192,
  imagesPerUrl: 1000,
  videosPerUrl: 100,
  alternatesPerUrl: 1000,
  gzipMembers: 1000,
  compressionLayers: 3,
  issues: 100,
  robotsBytes: 512_000,
  robotsLineBytes: 16_664,
};

/** The limits with their defaults. Zero is zero: only what is absent is filled in. */
export function fillLimits<L extends Readonly<Record<keyof L, number>>>(
  defaults: L,
  given: { readonly [K in keyof L]?: number | undefined } = {},
): L {
  const limits: Record<string, number> = { ...defaults };
  for (const [name, value] of Object.entries<number | undefined>(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, name)) {
      throw new TypeError(`Cannot set limit "${name}": there is no such limit`);
    }
    if (typeof value !== "number" || !(value >= 0)) {
      throw new RangeError(`Cannot set limit "${name}": ${value} is not a number from 0 on`);
    }
    limits[name] = value;
  }
  return limits as L;
}
