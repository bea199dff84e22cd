/** A hash table of element names. Names are found by their bytes, without creating a string. */

export interface HashedName {
  readonly bytes: Uint8Array;
  /** The hash of the name. For each byte, it becomes `31 * hash + byte`. */
  readonly hash: number;
}

/** Maximum number of names in the table, because a document may use a million. */
const MAX_NAMES = 128;
const SLOTS = 256;

export class NameTable<Name extends HashedName> {
  readonly #slots: (Name | undefined)[] = new Array(SLOTS).fill(undefined);
  #count = 0;

  find(bytes: Uint8Array, start: number, end: number, hash: number): Name | undefined {
    let slot = hash & (SLOTS - 1);
    for (let name = this.#slots[slot]; name !== undefined; name = this.#slots[slot]) {
      if (name.hash === hash && sameBytes(name.bytes, bytes, start, end)) return name;
      slot = (slot + 1) & (SLOTS - 1);
    }
    return undefined;
  }

  /** Adds a name that is not in the table yet. Ignored if the table is full. */
  add(name: Name): void {
    if (this.#count === MAX_NAMES) return;
    this.#count++;
    let slot = name.hash & (SLOTS - 1);
    while (this.#slots[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1);
    this.#slots[slot] = name;
  }
}

function sameBytes(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let i = 0; i < name.length; i++) {
    if (name[i] !== bytes[start + i]) return false;
  }
  return true;
}
