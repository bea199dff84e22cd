/** Text of a site cannot control the terminal (sec-O01). */
import { expect, it } from "vitest";
import { delimitedForm } from "../../../src/cli/output/text-formats.ts";
import { lazyRecord } from "../../../src/output/page-fields.ts";

const record = lazyRecord(
  { url: "https://www.example.com/a", title: "\u001b]8;;https://evil.example\u0007x\u009b2J" },
  "https://www.example.com/feed.json",
);

it.each([",", "\t"] as const)(
  "rows with %j are escaped for a terminal, and unchanged in a file",
  (delimiter) => {
    const row = (terminal: boolean): string =>
      delimitedForm(["url", "title"], { delimiter, terminal }).row(record);
    expect(row(true)).not.toMatch(/[\u001b\u0007\u009b]/);
    expect(row(true)).toContain("https://www.example.com/a");
    expect(row(false)).toContain("\u001b");
  },
);
