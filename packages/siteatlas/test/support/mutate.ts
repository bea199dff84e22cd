/**
 * Damages documents in realistic ways: flips, removes, repeats and inserts bytes, and breaks quotes, tags,
 * brackets and entities. All choices come from a seeded random function, so that a document can be reproduced
 * from its seed.
 */

type Random = () => number;

/** The applied mutations, for messages. */
export interface Mutation {
  readonly bytes: Uint8Array;
  readonly steps: readonly string[];
}

/** Applies one to three mutations. */
export function mutate(bytes: Uint8Array, random: Random): Mutation {
  const steps: string[] = [];
  const count = 1 + Math.floor(random() * random() * 3.2);
  let damaged = bytes;
  for (let step = 0; step < count; step++) {
    const name = pick(Object.keys(mutators), random);
    damaged = mutators[name]!(damaged, random);
    steps.push(name);
  }
  return { bytes: damaged, steps };
}

/** Markup to insert at the wrong place. */
export const FRAGMENTS: readonly string[] = [
  "<",
  ">",
  "</",
  "/>",
  "&",
  "&amp;",
  "&amp",
  "&nbsp;",
  "&#38;",
  "&#x0;",
  "&nosuch;",
  ";",
  '"',
  "'",
  "=",
  "/",
  " ",
  "\n",
  "\0",
  "<!--",
  "-->",
  "--",
  "<![CDATA[",
  "]]>",
  "<?xml version='1.0'?>",
  "<?",
  "?>",
  "<!DOCTYPE urlset>",
  "<!",
  "<url>",
  "</url>",
  "<loc>",
  "</loc>",
  "<urlset>",
  "</urlset>",
  "<b>",
  "</b>",
  "<image:image>",
  '<a href="',
  "https://www.example.com/inserted",
  "é",
];

const mutators: Readonly<Record<string, (bytes: Uint8Array, random: Random) => Uint8Array>> = {
  "flip a bit": (bytes, random) => change(bytes, random, (byte) => byte ^ (1 << Math.floor(random() * 8))),
  "another byte": (bytes, random) => change(bytes, random, () => Math.floor(random() * 256)),
  "another character": (bytes, random) => change(bytes, random, () => 0x20 + Math.floor(random() * 95)),
  "cut the end": (bytes, random) => bytes.subarray(0, Math.floor(random() * (bytes.length + 1))),
  "cut the start": (bytes, random) => bytes.subarray(Math.floor(random() * 200)),
  "remove a piece": (bytes, random) => {
    const [from, to] = range(bytes, random, 40);
    return splice(bytes, from, to);
  },
  "remove a byte": (bytes, random) => {
    const at = position(bytes, random);
    return splice(bytes, at, at + 1);
  },
  "double a piece": (bytes, random) => {
    const [from, to] = range(bytes, random, 60);
    return splice(bytes, to, to, bytes.subarray(from, to));
  },
  "move a piece": (bytes, random) => {
    const [from, to] = range(bytes, random, 40);
    const piece = bytes.slice(from, to);
    const rest = splice(bytes, from, to);
    const at = position(rest, random);
    return splice(rest, at, at, piece);
  },
  "insert bytes": (bytes, random) => {
    const at = position(bytes, random);
    const length = 1 + Math.floor(random() * 4);
    return splice(
      bytes,
      at,
      at,
      Uint8Array.from({ length }, () => Math.floor(random() * 256)),
    );
  },
  "insert markup": (bytes, random) => {
    const at = position(bytes, random);
    return splice(bytes, at, at, encoder.encode(pick(FRAGMENTS, random)));
  },
  "insert markup at a tag": (bytes, random) => {
    const [from, to] = tag(bytes, random);
    const at = random() < 0.5 ? from : to;
    return splice(bytes, at, at, encoder.encode(pick(FRAGMENTS, random)));
  },
  "lose a quote": (bytes, random) => removeOne(bytes, random, 0x22, 0x27),
  "double a quote": (bytes, random) => doubleOne(bytes, random, 0x22, 0x27),
  "exchange a quote": (bytes, random) => {
    const at = find(bytes, random, 0x22, 0x27);
    return at < 0 ? bytes : splice(bytes, at, at + 1, Uint8Array.of(bytes[at] === 0x22 ? 0x27 : 0x22));
  },
  "lose a <": (bytes, random) => removeOne(bytes, random, 0x3c),
  "lose a >": (bytes, random) => removeOne(bytes, random, 0x3e),
  "double a < or >": (bytes, random) => doubleOne(bytes, random, 0x3c, 0x3e),
  "lose a /": (bytes, random) => removeOne(bytes, random, 0x2f),
  "lose an = or ;": (bytes, random) => removeOne(bytes, random, 0x3d, 0x3b),
  "break an entity": (bytes, random) => {
    const at = find(bytes, random, 0x26);
    return at < 0 ? bytes : splice(bytes, at, at + 1 + Math.floor(random() * 6));
  },
  "bare ampersand": (bytes, random) => {
    const at = position(bytes, random);
    return splice(bytes, at, at, Uint8Array.of(0x26));
  },
  "lose a tag": (bytes, random) => splice(bytes, ...tag(bytes, random)),
  "double a tag": (bytes, random) => {
    const [from, to] = tag(bytes, random);
    return splice(bytes, to, to, bytes.subarray(from, to));
  },
  "swap two tags": (bytes, random) => {
    const [a, b] = [tag(bytes, random), tag(bytes, random)].sort((x, y) => x[0] - y[0]) as [Range, Range];
    if (a[1] > b[0]) return bytes;
    const parts = [[0, a[0]], b, [a[1], b[0]], a, [b[1], bytes.length]] as const;
    return concat(parts.map(([from, to]) => bytes.subarray(from, to)));
  },
  "close an open tag": (bytes, random) => {
    const [from, to] = tag(bytes, random);
    return bytes[from + 1] === 0x2f
      ? splice(bytes, from + 1, from + 2)
      : splice(bytes, to - 1, to - 1, encoder.encode("/"));
  },
  "other case": (bytes, random) => {
    const [from, to] = tag(bytes, random);
    return bytes.map((byte, at) => (at >= from && at < to && isLetter(byte) ? byte ^ 0x20 : byte));
  },
  "blank in a tag": (bytes, random) => {
    const [from, to] = tag(bytes, random);
    const at = from + Math.floor(random() * (to - from));
    return splice(bytes, at, at, Uint8Array.of(pick([0x20, 0x0a, 0x09], random)));
  },
};

type Range = readonly [from: number, to: number];

const encoder = new TextEncoder();

function pick<T>(choices: readonly T[], random: Random): T {
  return choices[Math.floor(random() * choices.length)]!;
}

function position(bytes: Uint8Array, random: Random): number {
  return Math.floor(random() * bytes.length);
}

function range(bytes: Uint8Array, random: Random, maxLength: number): Range {
  const from = position(bytes, random);
  return [from, Math.min(bytes.length, from + 1 + Math.floor(random() * maxLength))];
}

function splice(
  bytes: Uint8Array,
  from: number,
  to: number,
  insert: Uint8Array = new Uint8Array(0),
): Uint8Array {
  return concat([bytes.subarray(0, from), insert, bytes.subarray(to)]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function change(bytes: Uint8Array, random: Random, replace: (byte: number) => number): Uint8Array {
  if (bytes.length === 0) return bytes;
  const at = position(bytes, random);
  const changed = bytes.slice();
  changed[at] = replace(changed[at]!);
  return changed;
}

/** Position of one of these bytes, searched from a random position on; -1 if there is none. */
function find(bytes: Uint8Array, random: Random, ...wanted: readonly number[]): number {
  const start = position(bytes, random);
  for (let i = 0; i < bytes.length; i++) {
    const at = (start + i) % bytes.length;
    if (wanted.includes(bytes[at]!)) return at;
  }
  return -1;
}

function removeOne(bytes: Uint8Array, random: Random, ...wanted: readonly number[]): Uint8Array {
  const at = find(bytes, random, ...wanted);
  return at < 0 ? bytes : splice(bytes, at, at + 1);
}

function doubleOne(bytes: Uint8Array, random: Random, ...wanted: readonly number[]): Uint8Array {
  const at = find(bytes, random, ...wanted);
  return at < 0 ? bytes : splice(bytes, at, at, bytes.subarray(at, at + 1));
}

/** A tag, from its `<` to after its `>`; an empty range if there is none. */
function tag(bytes: Uint8Array, random: Random): Range {
  const from = find(bytes, random, 0x3c);
  if (from < 0) return [0, 0];
  const end = bytes.indexOf(0x3e, from);
  return [from, end < 0 ? bytes.length : end + 1];
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
