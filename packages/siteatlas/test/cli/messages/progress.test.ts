/** The progress: what is in flight and for how long, and numbers that never fall. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { progressFacts, progressLine, progressLines } from "../../../src/cli/messages/progress.ts";
import { RunCounts } from "../../../src/cli/messages/run-counts.ts";
import { paintFor } from "../../../src/cli/terminal/style.ts";
import { walked } from "../support/example-site.ts";

const live = { paint: paintFor(false), columns: 80, ascii: false };

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

describe("the request in flight", () => {
  it("is the oldest one, with its time", () => {
    const counts = new RunCounts();
    const end = counts.startRequest("https://example.com/slow.xml");
    vi.advanceTimersByTime(7000);
    const endOther = counts.startRequest("https://example.com/other.xml");
    vi.advanceTimersByTime(2000);
    expect(progressLine(counts, 10_000)).toBe(
      "10 s: 0 pages, 0 sitemaps, 0 B. Waiting for example.com/slow.xml (9 s) and 1 more",
    );
    expect(progressLines(counts, 10_000, live)).toEqual([
      "⠋ 0 pages · 0 sitemaps · 0 B",
      "  example.com/slow.xml (9 s) and 1 more",
    ]);
    expect(progressFacts(counts, 10_000)).toMatchObject({
      current: "https://example.com/slow.xml",
      inFlight: [
        { url: "https://example.com/slow.xml", ms: 9000 },
        { url: "https://example.com/other.xml", ms: 2000 },
      ],
    });
    end();
    expect(progressLine(counts, 10_000)).toMatch(/Waiting for example\.com\/other\.xml \(2 s\)$/);
    endOther();
    expect(progressLine(counts, 10_000)).toBe("10 s: 0 pages, 0 sitemaps, 0 B");
    expect(progressLines(counts, 10_000, live)).toHaveLength(1);
    expect(progressFacts(counts, 10_000)).toMatchObject({ current: "", inFlight: [] });
  });

  it("fits into the line, without secrets", () => {
    const counts = new RunCounts();
    counts.startRequest(`https://user:secret@example.com/${"long/".repeat(50)}end.xml?token=hush`);
    vi.advanceTimersByTime(65_000);
    const [, line = ""] = progressLines(counts, 65_000, { ...live, columns: 60 });
    expect(line.length).toBeLessThan(60);
    expect(line).toMatch(/^ {2}\*\*\*@example\.com\/long.*… ?.*\(1 min\)$/);
    expect(line + progressLine(counts, 65_000)).not.toMatch(/secret|hush/);
  });

  it("is the file, if there are no requests", () => {
    const counts = new RunCounts();
    counts.current = "sitemap.xml";
    expect(progressLines(counts, 0, live)[1]).toBe("  sitemap.xml");
  });
});

it("has no bytes for pages of a snapshot or a list, which were not received", () => {
  const counts = new RunCounts();
  counts.pages = 2;
  expect(progressLine(counts, 10_000)).toBe("10 s: 2 pages");
  counts.sitemaps = 1;
  expect(progressLine(counts, 10_000)).toBe("10 s: 2 pages, 1 sitemap");
});

it("has totals that never fall", () => {
  const counts = new RunCounts();
  const seen: { known: number; failed: number }[] = [];
  const add = (...given: Parameters<typeof walked>): void => {
    counts.addSitemap(walked(...given));
    seen.push(counts.progress());
  };
  const listed = { parentUrl: "https://www.example.com/index.xml" };
  const failed = { ...listed, outcome: "failed", kind: "invalid", code: "http.status" } as const;
  add("/index.xml", { kind: "index", childCount: 4 });
  add("/a.xml", listed);
  add("/b.xml", failed);
  add("/c.xml", { ...listed, outcome: "skipped", kind: "invalid" });
  add("/d.xml", failed);
  counts.addEmptySite({ answered: 0, failures: ["404", "404"] } as never, "a.test", "timeout", false);
  seen.push(counts.progress());
  expect(seen.map(({ known }) => known)).toEqual([5, 5, 5, 5, 5, 5]);
  const failures = seen.map((one) => one.failed);
  expect(failures).toEqual([...failures].sort((a, b) => a - b));
  expect(failures.at(-1)).toBe(2);
  expect(progressLine(counts, 0)).toContain("2 of 5 sitemaps");
});

it("has the same totals, however often it is shown", () => {
  const counts = new RunCounts();
  const listed = { parentUrl: "https://www.example.com/index.xml" };
  counts.addSitemap(walked("/index.xml", { kind: "index", childCount: 3 }));
  counts.addSitemap(walked("/a.xml", listed));
  counts.addSitemap(walked("/b.xml", { ...listed, outcome: "failed", kind: "invalid", code: "http.status" }));
  expect(progressLine(counts, 0)).toContain("2 of 4 sitemaps");
});
