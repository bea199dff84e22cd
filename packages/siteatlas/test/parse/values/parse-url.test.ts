import { expect, it } from "vitest";
import { parseUrl } from "../../../src/parse/values/parse-url.ts";

it("reads hosts with letters of Latin-1 after thousands of calls", () => {
  for (let i = 0; i < 20_000; i++) {
    const url = parseUrl("https://bücher.example/ü");
    const relative = parseUrl("//müller.example/", "https://example.com/");
    if (url === undefined || relative === undefined) expect.fail(`refused in call ${i}`);
  }
  expect(parseUrl("https://bücher.example/")?.href).toBe("https://xn--bcher-kva.example/");
});

it("refuses what is not a URL", () => {
  for (const text of ["", "a", "http://[", "https://ü[/", "//example.com"])
    expect(parseUrl(text)).toBeUndefined();
  expect(parseUrl("http://[", "https://example.com/")).toBeUndefined();
  expect(parseUrl("a", "https://example.com/b/c")?.href).toBe("https://example.com/b/a");
});
