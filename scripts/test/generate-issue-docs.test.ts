import { expect, test } from "vitest";
import { issuePage } from "../generate-issue-docs.mjs";

const page = issuePage({
  "xml.stray-lt": {
    severity: "warning",
    message: "A <loc> with a | in it",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/",
  },
  "xml.too-deep": { severity: "error", message: "Too deep" },
  "url.relative": { severity: "info", message: "Relative", strict: "drop" },
  "not-fetched": { severity: "info", message: "Not fetched" },
  "newgroup.thing": { severity: "info", message: "Thing" },
});

test("codes are grouped by what they start with, in the order of the table", () => {
  expect(page.match(/^(## .*|\| `.*?`)/gm)).toEqual([
    "## XML",
    "| `xml.stray-lt`",
    "| `xml.too-deep`",
    "## URLs",
    "| `url.relative`",
    "## The document as a whole",
    "| `not-fetched`",
    "## newgroup",
    "| `newgroup.thing`",
  ]);
});

test("a row says everything the table knows, and nothing in it breaks the Markdown", () => {
  expect(page).toContain(
    "| `xml.stray-lt` | warning | A &lt;loc> with a \\| in it | the document is invalid | [spec](https://www.w3.org/TR/xml/) |\n",
  );
  expect(page).toContain("| `url.relative` | info | Relative | the entry is dropped |  |\n");
});
