/**
 * Finds the position of a syntax error in JSON. The message of `JSON.parse` cannot be shown: it quotes the text, which
 * may contain a password, and in Node 20 it usually has no position.
 */

/**
 * Maximum depth of values. Deeper values count as a syntax error, because settings are flat. Without the limit, a
 * deeply nested file would overflow the stack.
 */
const MAX_DEPTH = 100;

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"/iy;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.+-])/y;

/** Returns the position of the first token that is not valid JSON, such as `line 2, column 5`. */
export function jsonFaultPlace(text: string): string {
  const reader = new JsonReader(text);
  if (reader.value()) reader.skip(SPACE);
  const lines = text.slice(0, reader.position).split(/\r?\n/);
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

class JsonReader {
  position = 0;
  #depth = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** If the pattern matches at the current position, moves past the match. Returns whether it matched. */
  skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    const found = pattern.test(this.#text);
    if (found) this.position = pattern.lastIndex;
    return found;
  }

  #take(mark: string): boolean {
    this.skip(SPACE);
    if (this.#text[this.position] !== mark) return false;
    this.position++;
    return true;
  }

  /** Moves past a JSON value. Returns whether the value is valid. If not, the position is that of the syntax error. */
  value(): boolean {
    if (this.#take("{")) return this.#list("}", () => this.#key() && this.#take(":") && this.value());
    if (this.#take("[")) return this.#list("]", () => this.value());
    return this.skip(STRING) || this.skip(LITERAL);
  }

  #key(): boolean {
    this.skip(SPACE);
    return this.skip(STRING);
  }

  #list(end: "}" | "]", item: () => boolean): boolean {
    if (++this.#depth > MAX_DEPTH) return false;
    const isWhole = this.#items(end, item);
    this.#depth--;
    return isWhole;
  }

  #items(end: "}" | "]", item: () => boolean): boolean {
    if (this.#take(end)) return true;
    for (;;) {
      if (!item()) return false;
      if (this.#take(end)) return true;
      if (!this.#take(",")) return false;
    }
  }
}
