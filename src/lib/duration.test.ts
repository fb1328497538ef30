import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test("a duration of a number and a unit is parsed to milliseconds", () => {
  expect(parseDuration("500ms")).toBe(500);
  expect(parseDuration("120s")).toBe(120_000);
  expect(parseDuration("1.5h")).toBe(5_400_000);
  expect(parseDuration("7d")).toBe(604_800_000);
  expect(parseDuration("0s")).toBe(0);
  expect(parseDuration("100000d")).toBe(8_640_000_000_000);
});

test.each(["", "7", "d", "7 d", "-1s", "1h30m", "7D", "1e3s", "0.5ms", "9999999999999d", "٧d"])(
  "%j is refused as a duration",
  (text) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: "invalid_duration", status: 400 }),
    );
  },
);

test("a formatted duration is parsed to the same value", () => {
  expect(formatDuration(604_800_000)).toBe("7d");
  expect(formatDuration(90_000)).toBe("90s");
  expect(formatDuration(0)).toBe("0ms");
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});
