import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateText } from "../../src/model/format-date.ts";

describe("dateText", () => {
  it("equals toISOString, without zero milliseconds", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.boolean(), (date, isWhole) => {
        const value = isWhole ? new Date(Math.floor(date.getTime() / 1000) * 1000) : date;
        fc.pre(!Number.isNaN(value.getTime()));
        expect(dateText(value)).toBe(value.toISOString().replace(".000Z", "Z"));
      }),
      { numRuns: 5000 },
    );
  });

  it("is right for every day and every second of the usual years", () => {
    for (let epochMs = 0; epochMs < Date.UTC(2090, 0); epochMs += 86_400_000 + 977_000) {
      const value = new Date(epochMs);
      expect(dateText(value)).toBe(value.toISOString().replace(".000Z", "Z"));
    }
  });

  it("is as precise as the document", () => {
    const value = new Date("2024-05-01T10:00:00Z");
    expect(dateText(value, "year")).toBe("2024");
    expect(dateText(value, "month")).toBe("2024-05");
    expect(dateText(value, "day")).toBe("2024-05-01");
  });

  it("throws for an invalid date", () => {
    expect(() => dateText(new Date(Number.NaN))).toThrow(RangeError);
  });
});
