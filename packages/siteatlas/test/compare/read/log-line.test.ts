import { describe, expect, it } from "vitest";
import { readLogLine } from "../../../src/compare/read/log-line.ts";

const DATE = "[17/Nov/2026:09:00:00 +0000]";

describe("readLogLine", () => {
  it("reads the common format", () => {
    expect(readLogLine(`203.0.113.7 - - ${DATE} "GET /a?b=c HTTP/1.1" 200 5120`)).toEqual({
      host: undefined,
      status: 200,
      method: "GET",
      target: "/a?b=c",
      userAgent: undefined,
    });
  });

  it("reads the combined format, with quotes in the user agent", () => {
    const line = `2001:db8::1 - bob ${DATE} "HEAD / HTTP/2.0" 304 - "https://example.com/" "say \\"hi\\" bot"`;
    expect(readLogLine(line)).toMatchObject({
      status: 304,
      method: "HEAD",
      target: "/",
      userAgent: 'say \\"hi\\" bot',
    });
  });

  it("reads the host of vhost_combined", () => {
    const line = `www.Example.com:443 203.0.113.7 - - ${DATE} "GET /a HTTP/1.1" 200 1 "-" "x"`;
    expect(readLogLine(line)?.host).toBe("www.example.com");
  });

  it.each([
    ["/a\\x22b", "/a%22b"],
    ['/a\\"b', "/a%22b"],
    ["/\\xC3\\xBC", "/%C3%BC"],
    ["/a\\\\b", "/a%5Cb"],
    ["/a\\qb", "/a%5Cqb"],
    ["/a b", "/a b"],
  ])("turns escapes of the log into percent escapes: %s", (target, expected) => {
    expect(readLogLine(`h - - ${DATE} "GET ${target} HTTP/1.1" 200 1`)?.target).toBe(expected);
  });

  it("has no method if the client sent no valid request", () => {
    for (const request of ["-", "\\x16\\x03\\x01", "", "get /a"]) {
      expect(readLogLine(`h - - ${DATE} "${request}" 400 1 "-" "-"`)).toMatchObject({
        status: 400,
        method: undefined,
      });
    }
  });

  it.each([
    "",
    "GET /a",
    `h - - ${DATE} "GET /a HTTP/1.1`,
    `h - - ${DATE} "GET /a" abc 1`,
    `${DATE} x "GET /a" 200 1`,
  ])("returns undefined for another line: %s", (line) => {
    expect(readLogLine(line)).toBeUndefined();
  });

  it("takes linear time for long lines", () => {
    const started = process.cpuUsage();
    for (const part of ["\\", '\\"', '"', "a.", "] ", '] "', " HTTP/1", "[", "\\x"]) {
      readLogLine(`h - - ${DATE} "GET /${part.repeat(400_000)}`);
      readLogLine(`${part.repeat(400_000)}${DATE} "GET / HTTP/1.1" 200 1 "${part.repeat(100_000)}`);
    }
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5);
  });
});
