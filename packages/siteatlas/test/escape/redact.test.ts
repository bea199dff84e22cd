/** sec-O07: no named secret gets into a log, an error or a report. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactHeaders, redactText, redactUrl } from "../../src/escape/redact.ts";
import { hostileText, settings } from "./hostile-text.ts";

/** The same as expressions, which are simpler, but overflow the stack on large texts. */
function modelOfRedactText(text: string): string {
  const userinfo = (part: string): string =>
    part
      .replace(/([\\/]{2})[^\s\\/?#"<>]*@/g, "$1***@")
      .replace(/\b(https?:[\\/]?)[^\s\\/?#"<>]{0,256}@/gi, "$1***@")
      .replace(
        /(?:%2f){2}(?:(?!%2f|%3f|%23|%40)[^\s\\/?#&"<>])*%40/gi,
        (found) => `${found.slice(0, 6)}***%40`,
      );
  const parameter =
    /((?:[?&;#]|%3f|%26|%3b|%23)(?:(?!%3f|%26|%3b|%23|%3d)[^=&;#?\s"<>])*(?:=|%3d))([^&#\s"<>]*)/gi;
  const parameters = (part: string): string => {
    let redacted = "";
    let from = 0;
    parameter.lastIndex = 0;
    for (let match = parameter.exec(part); match !== null; match = parameter.exec(part)) {
      const [, start = "", value = ""] = match;
      const name = decodeURIComponent(start.replace(/%(?![\da-f]{2})/gi, "%25")).slice(1, -1);
      const isNamed = redactHeaders({ [name]: "x" })[name] === "***";
      if (isNamed) {
        redacted += part.slice(from, match.index) + start + (value === "" ? "" : "***");
        from = parameter.lastIndex;
      } else parameter.lastIndex = match.index + start.length;
    }
    return redacted + part.slice(from);
  };
  return userinfo(parameters(userinfo(text)));
}

test("redactText equals its expressions, for any text of URLs", () => {
  const part = fc.constantFrom(
    ...[
      "//",
      "/",
      "%2f",
      "%2F%2f",
      "%40",
      "@",
      "?",
      "%3F",
      "&",
      "%26",
      ";",
      "#",
      "%23",
      "=",
      "%3d",
      "%3D",
      " ",
    ],
    ...["token", "key", "a", "user:pw", "https:", "\\", '"', "<", "\n", "%", "%2", "ü"],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 25 }), (parts) => {
      const text = parts.join("");
      expect(redactText(text)).toBe(modelOfRedactText(text));
    }),
    settings,
  );
});

describe("redactUrl", () => {
  test.each([
    ["https://user:pw@example.com/a", "https://***@example.com/a"],
    ["https://user@example.com/", "https://***@example.com/"],
    ["https://:pw@example.com/", "https://***@example.com/"],
    ["https:user:p w@example.com", "https://***@example.com/"],
    ["http://me:secret@proxy.example:3128", "http://***@proxy.example:3128/"],
    ["redis://:secret@127.0.0.1:6379/0", "redis://***@127.0.0.1:6379/0"],
    ["https://example.com/?id=1&token=abc&x=2", "https://example.com/?id=1&token=***&x=2"],
    ["https://example.com/?api_key=abc", "https://example.com/?api_key=***"],
    ["https://example.com/?apiKey=abc", "https://example.com/?apiKey=***"],
    ["https://example.com/?key=abc#top", "https://example.com/?key=***#top"],
    ["https://example.com/?X-Amz-Signature=abc&a=1", "https://example.com/?X-Amz-Signature=***&a=1"],
    ["https://example.com/?AWSAccessKeyId=abc", "https://example.com/?AWSAccessKeyId=***"],
    ["https://example.com/?sig=a%2Bb&se=2026", "https://example.com/?sig=***&se=2026"],
    ["https://example.com/?%74oken=abc", "https://example.com/?%74oken=***"],
    ["https://example.com/?a[password]=abc", "https://example.com/?a[password]=***"],
    ["https://example.com/#access_token=abc&b=1", "https://example.com/#access_token=***&b=1"],
    ["https://example.com/a;jsessionid=abc?b=1", "https://example.com/a;jsessionid=***?b=1"],
    ["https://example.com/?next=%2Fa%3Ftoken%3Dabc&b=1", "https://example.com/?next=%2Fa%3Ftoken%3D***&b=1"],
    ["https://example.com/?u=https://me:pw@b.example/", "https://example.com/?u=https://***@b.example/"],
    [
      "https://example.com/?u=https%3A%2F%2Fme%3Apw%40b.example",
      "https://example.com/?u=https%3A%2F%2F***%40b.example",
    ],
  ])("sec-O07: %s", (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });

  test.each([
    "https://example.com/@user/a//b@c?keyword=a&monkey=b&author=c&design=d&page=2",
    "https://example.com/?token=",
    "https://example.com/sitemap.xml?page=1&type=post",
    "mailto:user@example.com",
  ])("keeps %s", (url) => {
    expect(redactUrl(url)).toBe(url);
  });

  test("anything but a URL is treated as text", () => {
    expect(redactUrl("//user:pw@example.com/?token=a")).toBe("//***@example.com/?token=***");
  });

  test("no user, password or token of any URL is left, and it is idempotent", () => {
    const secret = fc.stringMatching(/^Q[\w!$'()*+,;=.~ -]{3,12}Q$/);
    fc.assert(
      fc.property(secret, secret, hostileText, hostileText, (user, password, path, query) => {
        const url = `https://${user}:${password}@example.com/${path}?${query}&access_token=${encodeURIComponent(user)}`;
        if (!URL.canParse(url) || new URL(url).hash.length > 0) return;
        const redacted = redactUrl(url);
        const { username, password: none } = new URL(redacted);
        expect([username, none]).toEqual(["***", ""]);
        expect(redacted).not.toContain(encodeURIComponent(user));
        expect(redactUrl(redacted)).toBe(redacted);
      }),
      settings,
    );
  });
});

describe("redactText", () => {
  test.each([
    [
      "GET https://u:p@a.example/ and ftp://b:c@d.example",
      "GET https://***@a.example/ and ftp://***@d.example",
    ],
    ["at https://a.example/?token=x failed", "at https://a.example/?token=*** failed"],
    ["authorization: Bearer abc\nnext", "authorization: ***\nnext"],
    ["Proxy-Authorization: Basic dTpw", "Proxy-Authorization: ***"],
    ['{"Cookie":"a=b"}', '{"Cookie":***'],
    ["x-api-key=abc", "x-api-key=***"],
    // The slash in the value of the parameter hides that `b@` belongs to the user name.
    ["//a;token=/x&b@c.example", "//***@c.example"],
    ["sent Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc", "sent Bearer ***"],
    [
      "no secret: 1 = 1, me@example.com, Basic information",
      "no secret: 1 = 1, me@example.com, Basic information",
    ],
  ])("sec-O07: %j", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test("never throws, and is idempotent", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = redactText(text);
        expect(redactText(once)).toBe(once);
      }),
      settings,
    );
  });
});

describe("redactHeaders", () => {
  test("sec-O07: masks headers by name, and URLs in other headers", () => {
    const headers = {
      Authorization: "Basic dTpw",
      "proxy-authorization": "Basic dTpw",
      Cookie: "a=b",
      "set-cookie": ["a=b", "c=d"],
      "X-API-Key": "abc",
      "x-auth-token": "abc",
      location: "https://u:p@example.com/?sig=abc",
      link: ["<https://u:p@example.com/>"],
      "content-type": "text/html",
      "keep-alive": undefined,
    };
    expect(redactHeaders(headers)).toEqual({
      Authorization: "***",
      "proxy-authorization": "***",
      Cookie: "***",
      "set-cookie": "***",
      "X-API-Key": "***",
      "x-auth-token": "***",
      location: "https://***@example.com/?sig=***",
      link: ["<https://***@example.com/>"],
      "content-type": "text/html",
      "keep-alive": undefined,
    });
  });

  test("accepts any header name", () => {
    const headers = JSON.parse('{"__proto__":"a"}') as Record<string, string>;
    expect(Object.keys(redactHeaders(headers))).toEqual(["__proto__"]);
  });
});
