import { expect, test } from "vitest";
import { readLines } from "../../src/cli/read-lines.ts";

async function* chunksOf(...chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

async function linesOf(...chunks: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const { text, isCut } of readLines(chunksOf(...chunks))) lines.push(isCut ? `${text}…` : text);
  return lines;
}

test("lines end at LF, CRLF and CR, also across chunks", async () => {
  expect(await linesOf("a\nb\r\nc\rd")).toEqual(["a", "b", "c", "d"]);
  expect(await linesOf("a", "b\r", "\nc", "\n", "\n")).toEqual(["ab", "c", ""]);
});

test("a line of more than 8,192 characters is cut", async () => {
  const long = "x".repeat(8192);
  expect(await linesOf(`${long}\n${long}y\nz`)).toEqual([long, `${long}…`, "z"]);
  expect(await linesOf(long, "y", "y\nz")).toEqual([`${long}…`, "z"]);
  expect(await linesOf(long, "y")).toEqual([`${long}…`]);
});

test("a line without end is not held in memory", async () => {
  // Longer than the longest string of V8, so that holding it would throw.
  async function* endless(): AsyncGenerator<string> {
    const chunk = "x".repeat(1024 * 1024);
    for (let n = 0; n < 600; n++) yield chunk;
    yield "\nexample.com\n";
  }
  const lines: [length: number, isCut: boolean][] = [];
  for await (const { text, isCut } of readLines(endless())) lines.push([text.length, isCut]);
  expect(lines).toEqual([
    [8192, true],
    [11, false],
  ]);
});
