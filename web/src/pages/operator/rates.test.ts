import { describe, expect, it } from "vitest";
import { limitsSentence, rateFault, rateOf, rateText } from "./rates.ts";

describe("rates of an account", () => {
  it("are told in words", () => {
    expect(rateText(1, "search", "a minute")).toBe("1 search a minute");
    expect(rateText(1000, "request", "a second")).toBe("1,000 requests a second");
    expect(limitsSentence({ requests_per_second: null, submissions_per_minute: 1 })).toBe(
      "The usual requests a second, 1 search a minute.",
    );
    expect(limitsSentence({ requests_per_second: null, submissions_per_minute: null })).toBe(
      "As set for everyone.",
    );
  });

  it("are whole numbers from 1 to a million, or nothing", () => {
    expect(["", " 5 ", "1000000"].map(rateFault)).toEqual([null, null, null]);
    for (const text of ["0", "-1", "1.5", "1000001", "five"])
      expect(rateFault(text)).not.toBeNull();
    expect([rateOf(""), rateOf(" 5 ")]).toEqual([null, 5]);
  });
});
