/**
 * What a walk is to request, in order: what is declared before what is guessed. A site that says where its
 * sitemaps are gives its first page before sixteen guesses were made, and a limit spends what it allows on
 * what is there.
 */
import type { SitemapRecord } from "./record.ts";

export class Agenda {
  /** Behind `#next`, those that wait. (To shift an array of 500,000 takes time each time.) */
  #declared: SitemapRecord[] = [];
  #next = 0;
  readonly #guesses: Set<SitemapRecord> = new Set();

  add(record: SitemapRecord): void {
    if (record.source === "known") this.#guesses.add(record);
    else this.#declared.push(record);
  }

  /** A guess that turns out to be declared waits no longer than others. */
  promote(record: SitemapRecord): void {
    if (this.#guesses.delete(record)) this.#declared.push(record);
  }

  /** The next one; `mayGuess`: a guess, if nothing else is left. */
  take(mayGuess: boolean): SitemapRecord | undefined {
    if (this.#next < this.#declared.length) return this.#declared[this.#next++];
    this.#declared = [];
    this.#next = 0;
    if (!mayGuess) return undefined;
    for (const guess of this.#guesses) {
      this.#guesses.delete(guess);
      return guess;
    }
    return undefined;
  }
}
