/** Hosts that can be added, and the job ids of sites. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostOfJob, jobIdOf, readSite } from "../../src/model/site-name.ts";

test.each([
  ["example.com", "example.com"],
  ["  Example.COM.  ", "example.com"],
  ["http://example.com:8080/a?b", "example.com:8080"],
  ["https://example.com:443/", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["my_shop.example.com", "my_shop.example.com"],
  ["127.0.0.5:8080", "127.0.0.5:8080"],
  ["[::1]:8080", "[::1]:8080"],
])("%s is the host %s", (text, host) => {
  expect(readSite(text, 16)?.host).toBe(host);
});

test.each([
  ".",
  "https://./",
  ".:8080",
  "..",
  "a.example!8080",
  "a.example!8080:9090",
  "a..example",
  ".example.com",
  "example.com..",
  "*.example.com",
  "a'b.example",
  "a(b).example",
  "a,b.example",
  "$(id).example",
  "user@example.com",
  "ftp://example.com",
  "",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(120)}example`,
])("%s is refused", (text) => {
  expect(readSite(text, 16)).toBeUndefined();
});

test("a job id is read back as its host, so two hosts never have the same id", () => {
  const host = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", ".", ":", "!", "%", "2", "1", "5", "[", "]", "-") }),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(host, (text) => {
      expect(hostOfJob(jobIdOf(text))).toBe(text);
      // BullMQ separates its keys with colons.
      expect(jobIdOf(text)).not.toContain(":");
    }),
    { numRuns: 5000 },
  );
});

test("the job ids of hosts that can be added stay as they are stored", () => {
  expect(jobIdOf("example.com")).toBe("example.com");
  expect(jobIdOf("127.0.0.5:8080")).toBe("127.0.0.5!8080");
  expect(jobIdOf("[::1]:8080")).toBe("[!!1]!8080");
});
