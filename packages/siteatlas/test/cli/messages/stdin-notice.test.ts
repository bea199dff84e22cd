/** On a terminal, a command that reads stdin says that it waits. */
import { afterEach, expect, it } from "vitest";
import { noteStdin } from "../../../src/cli/messages/stdin-notice.ts";

const { isTTY } = process.stdin;
afterEach(() => {
  process.stdin.isTTY = isTTY;
});

function noteOf(args: readonly string[], isTerminal: boolean): string[] {
  process.stdin.isTTY = isTerminal;
  const notes: string[] = [];
  noteStdin({ say: (_, text) => void notes.push(text) }, args, "hosts or URLs, one per line,");
  return notes;
}

it("is written on a terminal, and only for -", () => {
  const note = /^Reading hosts or URLs, one per line, from the terminal\. End with Ctrl-[DZ]/;
  expect(noteOf(["-"], true)).toEqual([expect.stringMatching(note)]);
  expect(noteOf(["a.test", "-"], true)).toHaveLength(1);
  expect(noteOf(["a.test"], true)).toEqual([]);
  expect(noteOf(["-"], false)).toEqual([]);
});
