import { expect, test } from "vitest";
import { readExamples } from "../run-doc-examples.mjs";

const fence = "```";

test("js and ts blocks run, others are no examples", () => {
  const page = `# Title\n\n${fence}js\na();\n\nb();\n${fence}\n${fence}sh\nnpm ci\n${fence}\n${fence}ts\nc();\n${fence}\n`;
  expect(readExamples(page)).toEqual([
    { language: "js", line: 3, code: "a();\n\nb();\n", runs: true, isOnSite: false },
    { language: "ts", line: 11, code: "c();\n", runs: true, isOnSite: false },
  ]);
});

test("a comment before the block keeps it from running, and only that block", () => {
  const page = `<!-- not run -->\n\n${fence}js\na();\n${fence}\n\n${fence}js\nb();\n${fence}\n`;
  expect(readExamples(page).map(({ runs }) => runs)).toEqual([false, true]);
});

test("a comment before the block runs it on a test site", () => {
  const page = `<!-- run on a test site -->\n${fence}js\na();\n${fence}\n${fence}js\nb();\n${fence}\n`;
  expect(readExamples(page).map(({ runs, isOnSite }) => [runs, isOnSite])).toEqual([
    [true, true],
    [true, false],
  ]);
});

test("a fence inside a longer fence is text, and an indented block loses its indent", () => {
  const page = `${fence}${fence}md\n${fence}js\nnot code\n${fence}\n${fence}${fence}\n- list\n  ${fence}js\n  if (a) {\n    b();\n  }\n  ${fence}\n`;
  expect(readExamples(page).map(({ code }) => code)).toEqual(["if (a) {\n  b();\n}\n"]);
});
