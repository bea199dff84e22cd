/**
 * The form of an input: one byte that chooses the options, one byte that chooses the chunks, then the document. So the
 * fuzzer finds combinations of documents and options, and a seed is a fixture with two bytes in front of it.
 */

export interface FuzzInput {
  readonly choice: number;
  readonly cut: number;
  /** A plain Uint8Array, not a Buffer: the library must not depend on methods of Buffer. */
  readonly bytes: Uint8Array;
}

export function readInput(data: Uint8Array): FuzzInput {
  const [choice = 0, cut = 0] = data;
  return { choice, cut, bytes: new Uint8Array(data.subarray(2)) };
}

export function writeInput(choice: number, cut: number, document: string | Uint8Array): Uint8Array {
  return Uint8Array.from([choice, cut, ...(typeof document === "string" ? utf8(document) : document)]);
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

export interface DocumentOptions {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly strict: boolean;
}

const URLS: readonly string[] = [
  "https://www.example.com/sitemap.xml",
  "https://www.example.com/dir/sitemap.txt",
  "http://www.example.com/robots.txt",
  "https://www.example.com/sitemap.xml.gz",
  "file:///sitemap.xml",
  "",
];
const CONTENT_TYPES: readonly (string | undefined)[] = [
  undefined,
  "text/xml",
  "text/html; charset=iso-8859-1",
  "application/json; charset=shift_jis",
  "text/xml; charset=utf-16",
  "text/plain; charset=iso-2022-jp",
];
const COMBINATIONS = URLS.length * CONTENT_TYPES.length;

/** The options that a byte chooses. */
export function documentOptions(choice: number): DocumentOptions {
  return {
    url: URLS[choice % URLS.length]!,
    contentType: CONTENT_TYPES[Math.floor(choice / URLS.length) % CONTENT_TYPES.length],
    strict: Math.floor(choice / COMBINATIONS) % 4 === 3,
  };
}

/** The byte that chooses options close to these. */
export function documentChoice(url: string, contentType: string | undefined): number {
  const path = url.replace(/^\w+:\/\/[^/]*/, "");
  const urlIndex = URLS.findIndex((one) => one.endsWith(path.slice(path.lastIndexOf("/"))));
  const typeIndex = CONTENT_TYPES.indexOf(contentType);
  return Math.max(0, urlIndex) + URLS.length * Math.max(0, typeIndex);
}
