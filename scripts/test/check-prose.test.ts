import { describe, expect, test } from "vitest";
import { aboveBaseline, findProseProblems, lowerBaseline } from "../check-prose.mjs";
import { readProse } from "../read-prose.mjs";

const many = (count: number): string => Array.from({ length: count }, (_, at) => `Word${at}`).join(" ");

describe("the text of a file", () => {
  test("comments and messages of code, without what is between backticks", () => {
    const source = [
      "/**",
      " * What `a.b()` does.",
      " * In two lines.",
      " *",
      " * @param {string} path where it is",
      " */",
      "// One text",
      "// in two lines.",
      'const message = "Cannot read the file";',
      "const other = `There are ${" + "count} of them`;",
      'const query = "select one from two";',
      'import "./not-prose.ts";',
    ].join("\n");
    expect(readProse("a.ts", source).map(({ line, text }) => `${line}: ${text}`)).toEqual([
      "2: What CODE does. In two lines.",
      "5: path where it is",
      "7: One text in two lines.",
      "9: Cannot read the file",
      "10: There are VALUE of them",
    ]);
  });

  test("paragraphs, list items and table cells of Markdown", () => {
    const source = [
      "# Title",
      "",
      "A paragraph",
      "in [two](https://example.com/) lines.",
      "",
      "```sh",
      "code",
      "```",
      "- an item",
      "- another",
      "",
      "| one | |",
      "|---|---|",
      "| a | `b` \\| c |",
    ].join("\n");
    expect(readProse("a.md", source)).toEqual([
      { kind: "text", line: 1, text: "# Title" },
      { kind: "text", line: 3, text: "A paragraph in [two] lines." },
      { kind: "text", line: 9, text: "- an item" },
      { kind: "text", line: 10, text: "- another" },
      { kind: "header", line: 12, text: "one" },
      { kind: "header", line: 12, text: "" },
      { kind: "cell", line: 14, text: "a" },
      { kind: "cell", line: 14, text: "CODE \\| c" },
    ]);
  });

  test("comments of a shell script", () => {
    expect(readProse("run", "#!/bin/sh\n# What it\n# does.\nexit 0\n")).toEqual([
      { kind: "text", line: 2, text: "What it does." },
    ]);
  });
});

describe("problems", () => {
  const problemsOf = (comment: string): string[] => findProseProblems("a.ts", `// ${comment}`);

  test.each([
    "Whoever comes waits.",
    "This is for nobody.",
    "Waits so many seconds.",
    "It is read, too.",
    "It cannot be had.",
    "What was cut is told.",
    "A path is no host.",
    "The date stands still.",
    "The text of strangers.",
    "Asked again and again.",
  ])("%s", (text) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^a\.ts:1: ".+": .+/)]);
  });

  test.each(["It is no longer there.", "The request is too large.", "Every `nobody` is a word of code."])(
    "none: %s",
    (text) => {
      expect(problemsOf(text)).toEqual([]);
    },
  );

  test("sentences of more than 35 words", () => {
    expect(problemsOf(`${many(35)}. Another one. ${many(35)}.`)).toEqual([]);
    expect(problemsOf(`${many(36)}.`)).toEqual([expect.stringContaining("a sentence of 36 words")]);
  });

  test("table cells of more than 25 words, and table headers without text", () => {
    const table = (header: string, cell: string): string[] =>
      findProseProblems("a.md", `| ${header} |\n|---|\n| ${cell} |\n`);
    expect(table("a header", many(25))).toEqual([]);
    expect(table("a header", many(26))).toEqual([expect.stringContaining("a table cell of 26 words")]);
    expect(table("", "a cell")).toEqual(["a.md:1: a table header is empty"]);
  });
});

describe("the baseline", () => {
  const found = new Map([
    ["old.ts", ["old.ts:1: a", "old.ts:2: b"]],
    ["new.ts", ["new.ts:1: c"]],
  ]);

  test("a file may have as many problems as before, and a new one none", () => {
    expect(aboveBaseline(found, { "old.ts": 2 })).toEqual(["new.ts:1: c"]);
    expect(aboveBaseline(found, { "old.ts": 1, "new.ts": 1 })).toEqual(["old.ts:1: a", "old.ts:2: b"]);
  });

  test("it can be lowered and follow files that move, and never grows", () => {
    expect(lowerBaseline(found, { "gone.ts": 5 })).toEqual({ "new.ts": 1, "old.ts": 2 });
    expect(() => lowerBaseline(found, { "old.ts": 2 })).toThrow(
      "Cannot raise the baseline from 2 to 3 findings",
    );
  });
});
