import { describe, expect, it } from "vitest";
import { limitsSentence, parseRate, rateError, rateText } from "./rates.ts";

describe("account rates", () => {
  it("an account's rates are formatted as text, and a missing one as the default", () => {
    expect(rateText(1, "search", "per minute")).toBe("1 search per minute");
    expect(rateText(1000, "request", "per second")).toBe("1,000 requests per second");
    expect(limitsSentence({ requests_per_second: null, submissions_per_minute: 1 })).toBe(
      "Default requests per second, 1 search per minute.",
    );
    expect(limitsSentence({ requests_per_second: null, submissions_per_minute: null })).toBe(
      "Default limits.",
    );
  });

  it("a rate field accepts a whole number from 1 to a million, or nothing", () => {
    expect(["", " 5 ", "1000000"].map(rateError)).toEqual([null, null, null]);
    for (const text of ["0", "-1", "1.5", "1000001", "five"])
      expect(rateError(text)).not.toBeNull();
    expect([parseRate(""), parseRate(" 5 ")]).toEqual([null, 5]);
  });
});
