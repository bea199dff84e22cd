import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRobotsMatcher,
  decidingRule,
  matchesRobotsPattern,
  type RobotsGroup,
} from "../../../src/parse/robots/robots-match.ts";
import { runs, seed } from "../../support/runs.ts";

/** Obviously correct, with exponential time. */
function naiveMatch(pattern: string, path: string): boolean {
  if (pattern === "") return true;
  if (pattern === "$") return path === "";
  if (pattern.startsWith("*")) {
    return naiveMatch(pattern.slice(1), path) || (path !== "" && naiveMatch(pattern, path.slice(1)));
  }
  return path !== "" && pattern[0] === path[0] && naiveMatch(pattern.slice(1), path.slice(1));
}

function matcherFor(rules: readonly string[], userAgent = "*"): (path: string) => boolean {
  const group: RobotsGroup = {
    userAgents: [userAgent],
    rules: rules.map((rule, index) => {
      const [key, path = ""] = rule.split(/: ?/);
      return { allow: key === "allow", path, line: index + 1 };
    }),
  };
  const matcher = createRobotsMatcher([group], "https://www.example.com/robots.txt");
  return (path) => matcher.isAllowed(path, "examplebot");
}

describe("matchesRobotsPattern", () => {
  test.each([
    ["/", "/", true],
    ["/fish", "/fish.html", true],
    ["/fish", "/Fish.asp", false],
    ["/fish/", "/fish", false],
    ["/*.php", "/folder/filename.php?x", true],
    ["/*.php", "/", false],
    ["/*.php$", "/filename.php", true],
    ["/*.php$", "/filename.php5", false],
    ["/*.php$", "/a.php/b.php", true],
    ["/fish*.php", "/fishheads/catfish.php?x", true],
    ["/a*$", "/abc", true],
    ["/a$b", "/a$b", true],
    ["/a$", "/a$", false],
    ["*", "", true],
    ["/**b", "/aab", true],
    ["/aba*aba$", "/aba", false],
    ["/aba*aba$", "/abaaba", true],
    ["", "/a", true],
    ["$", "/a", false],
    ["$", "", true],
  ])("RFC 9309, 2.2.3: %s on %s is %s", (pattern, path, expected) => {
    expect(matchesRobotsPattern(pattern, path)).toBe(expected);
  });

  test("equals the naive matcher on small alphabets", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "$"), maxLength: 9 });
    const path = fc.string({ unit: fc.constantFrom("a", "b", "$"), maxLength: 12 });
    fc.assert(
      fc.property(pattern, path, (left, right) => {
        expect(matchesRobotsPattern(left, right)).toBe(naiveMatch(left, right));
      }),
      { numRuns: runs(2000), seed },
    );
  });

  test("equals the naive matcher on long pieces", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 17, maxLength: 24 });
    const filler = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 30 });
    fc.assert(
      fc.property(piece, filler, filler, fc.boolean(), (needle, before, after, isThere) => {
        const path = `/${before}${isThere ? needle : ""}${after}`;
        expect(matchesRobotsPattern(`/*${needle}`, path)).toBe(path.includes(needle, 1));
        expect(matchesRobotsPattern(`/*${needle}*a$`, path)).toBe(naiveMatch(`/*${needle}*a$`, path));
      }),
      { numRuns: runs(500), seed },
    );
  });
});

describe("rules (RFC 9309, 2.2.2)", () => {
  test("the longest match wins, in any order", () => {
    const isAllowed = matcherFor(["disallow: /example/page/disallowed.gif", "allow: /example/page/"]);
    expect(isAllowed("/example/page/a.gif")).toBe(true);
    expect(isAllowed("/example/page/disallowed.gif")).toBe(false);
  });

  test("allow wins a tie", () => {
    expect(matcherFor(["allow: /folder", "disallow: /folder"])("/folder/page")).toBe(true);
    expect(matcherFor(["disallow: /folder", "allow: /folder"])("/folder/page")).toBe(true);
  });

  test("a star counts as one octet", () => {
    expect(matcherFor(["allow: /page", "disallow: /*.htm"])("/page.htm")).toBe(false);
    expect(matcherFor(["allow: /$", "disallow: /"])("/")).toBe(true);
    expect(matcherFor(["allow: /$", "disallow: /"])("/page.htm")).toBe(false);
  });

  test("without a match everything is allowed; an empty path matches nothing", () => {
    expect(matcherFor(["disallow: /a"])("/b")).toBe(true);
    expect(matcherFor(["disallow:"])("/b")).toBe(true);
    expect(matcherFor(["disallow: /", "allow:"])("/b")).toBe(false);
  });

  test("/robots.txt is always allowed", () => {
    const isAllowed = matcherFor(["disallow: /"]);
    expect(isAllowed("/robots.txt")).toBe(true);
    expect(isAllowed("/robots.txt.bak")).toBe(false);
    expect(isAllowed("/a/robots.txt")).toBe(false);
  });

  test("paths are case-sensitive", () => {
    expect(matcherFor(["disallow: /X"])("/x")).toBe(true);
  });

  test.each([
    ["/foo/bar?baz=quz", "/foo/bar?baz=quz"],
    ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"],
    ["/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"],
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%E3%83%84", "/foo/bar/ツ"],
    ["/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz"],
    ["/foo/bar/baz", "/foo/bar/%62%61%7A"],
    ["/a b{c}", "/a%20b%7Bc%7D"],
    ["/*=https%3A", "/a?b=https%3A"],
    ["/*=https:", "/a?b=https:"],
    ["/100%", "/100%"],
    ["/a%3", "/a%3D"],
    ["/a%3", "/a%3d1"],
    ["/s?", "/s?"],
    ["/s?", "/s?a"],
    ["/s?$", "/s?#top"],
  ])("one spelling per path: %s matches %s", (pattern, path) => {
    expect(matcherFor([`disallow:${pattern}`])(path)).toBe(false);
  });

  test("a rule with a question mark does not match a path without a query", () => {
    expect(matcherFor(["disallow: /s?"])("/s")).toBe(true);
    expect(matcherFor(["disallow: /robots.txt?"])("/robots.txt?")).toBe(true);
  });

  test("Allow of an index.html also allows its folder, as google/robotstxt does", () => {
    const isAllowed = matcherFor(["disallow: /", "allow: /f/index.html", "allow: /*/g/index.htm"]);
    const paths = ["/f/", "/f/index.html", "/x/g/", "/f/a", "/f", "/f/?a", "/x/g/a"];
    expect(paths.filter(isAllowed)).toEqual(["/f/", "/f/index.html", "/x/g/"]);
    // Only Allow, and only in the last segment.
    expect(matcherFor(["disallow: /f/index.html"])("/f/")).toBe(true);
    expect(matcherFor(["disallow: /f/", "allow: /f/index.html/a"])("/f/")).toBe(false);
    // `/f/$` has four octets.
    expect(matcherFor(["disallow: /f/*?", "allow: /f/index.html"])("/f/")).toBe(true);
    expect(matcherFor(["disallow: /*/$", "allow: /index.html"])("/")).toBe(true);
  });

  test("a reserved character and its escape are different", () => {
    expect(matcherFor(["disallow: /a%2Fb"])("/a/b")).toBe(true);
    expect(matcherFor(["disallow: /a/b"])("/a%2Fb")).toBe(true);
  });

  test("2.2.3: %2A and %24 are the characters themselves", () => {
    const star = matcherFor(["disallow: /file-with-a-%2A.html"]);
    expect(star("/file-with-a-*.html")).toBe(false);
    expect(star("/file-with-a-%2a.html")).toBe(false);
    expect(star("/file-with-a-x.html")).toBe(true);
    const dollar = matcherFor(["disallow: /foo-%24"]);
    expect(dollar("/foo-$")).toBe(false);
    expect(dollar("/foo-$/bar")).toBe(false);
    expect(dollar("/foo-")).toBe(true);
  });

  test("lone surrogates do not throw", () => {
    expect(matcherFor(["disallow: /\ud800"])("/\ufffd")).toBe(false);
  });

  test("an invalid URL throws", () => {
    expect(() => matcherFor([])("https://")).toThrow(TypeError);
  });
});

describe("groups (RFC 9309, 2.2.1)", () => {
  const disallow = (path: string) => [{ allow: false, path, line: 1 }];
  const matcher = createRobotsMatcher(
    [
      { userAgents: ["ExampleBot"], rules: disallow("/foo"), crawlDelay: 2 },
      { userAgents: ["*"], rules: disallow("/any"), crawlDelay: 9 },
      {
        userAgents: ["BazBot/2.1 (+https://baz.example)", "examplebot"],
        rules: disallow("/bar"),
        crawlDelay: 5,
      },
      { userAgents: ["QuietBot"], rules: [] },
      { userAgents: ["360Spider"], rules: disallow("/") },
      { userAgents: [""], rules: disallow("/") },
    ],
    "",
  );

  test("groups of one crawler are merged, other groups do not apply to it", () => {
    expect(matcher.isAllowed("/foo", "ExampleBot")).toBe(false);
    expect(matcher.isAllowed("/bar", "ExampleBot")).toBe(false);
    expect(matcher.isAllowed("/any", "ExampleBot")).toBe(true);
    expect(matcher.crawlDelay("ExampleBot")).toBe(5);
  });

  test("the product token is compared without case and version", () => {
    expect(matcher.isAllowed("/bar", "BAZBOT/3.0")).toBe(false);
    expect(matcher.isAllowed("/bar", "bazbot")).toBe(false);
    expect(matcher.isAllowed("/bar", "bazbot-news")).toBe(true);
  });

  test("crawlers without their own group use that of *", () => {
    expect(matcher.isAllowed("/any", "otherbot")).toBe(false);
    expect(matcher.isAllowed("/any", "")).toBe(false);
    expect(matcher.isAllowed("/foo", "otherbot")).toBe(true);
    expect(matcher.crawlDelay("otherbot")).toBe(9);
  });

  test("a group without rules allows everything and has no delay", () => {
    expect(matcher.isAllowed("/any", "QuietBot")).toBe(true);
    expect(matcher.crawlDelay("QuietBot")).toBeUndefined();
  });

  test("Lenient: a name that starts with a digit", () => {
    expect(matcher.isAllowed("/x", "360Spider/1.0")).toBe(false);
  });

  test("without any group everything is allowed", () => {
    expect(createRobotsMatcher([], "").isAllowed("https://a.example/x", "bot")).toBe(true);
  });
});

describe("many rules with wildcards against one long path", () => {
  const path = `/${"a".repeat(8000)}`;
  const rules = (count: number) => Array.from({ length: count }, (_, index) => `disallow: /*aab${index}`);

  test("250 rules are all checked", () => {
    expect(matcherFor(rules(250))(path)).toBe(true);
    expect(matcherFor([...rules(250), "disallow: /*aaa$"])(path)).toBe(false);
  });

  test("20,000 rules are all checked for a path of 100 characters", () => {
    expect(matcherFor(rules(20_000))(path.slice(0, 100))).toBe(true);
  });

  test("40,000 rules: not allowed, unless the path is short", () => {
    const isAllowed = matcherFor(rules(40_000));
    expect(isAllowed("/short")).toBe(true);
    expect(isAllowed(path)).toBe(false);
  });

  test("rules without wildcards do not count", () => {
    const plain = Array.from({ length: 40_000 }, (_, index) => `disallow: /b${index}`);
    expect(matcherFor(plain)(path)).toBe(true);
  });
});

test("decidingRule gives the longest rule that matches", () => {
  const rules = [
    { allow: false, path: "/a", line: 2 },
    { allow: true, path: "/a/b", line: 3 },
    { allow: false, path: "/a/b", line: 4 },
    { allow: false, path: "/robots", line: 5 },
  ];
  const lineFor = (path: string): number | undefined =>
    decidingRule([{ userAgents: ["*"], rules }], new URL(path, "https://www.example.com/"), "bot")?.line;
  expect(lineFor("/a/x")).toBe(2);
  expect(lineFor("/a/b/c")).toBe(3);
  expect(lineFor("/b")).toBeUndefined();
  expect(lineFor("/robots.txt")).toBeUndefined();
});
