import { Headers } from "undici";
import { describe, expect, test } from "vitest";
import { searchWindow } from "./search-window.ts";
import { billPrice, xLimit } from "./upstream.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const day = 86_400_000;

describe("rate-limit headers", () => {
  test.each([
    ["7", "1800000060", { remaining: 7, resetMs: 1_800_000_060_000 }],
    ["0", "1800000060", { remaining: 0, resetMs: 1_800_000_060_000 }],
    ["seven", "soon", null],
    ["7", "", null],
    ["-1", "1800000060", null],
    ["7", "9".repeat(40), null],
  ])(
    "the X rate-limit headers are read or ignored: %s left until %s",
    (remaining, reset, limit) => {
      const headers = new Headers({
        "x-rate-limit-remaining": remaining,
        "x-rate-limit-reset": reset,
      });
      expect(xLimit(headers)).toEqual(limit);
    },
  );

  test("the X rate limit is unknown without headers", () => {
    expect(xLimit(new Headers())).toBeNull();
  });
});

test("the prices are those of X's list", () => {
  expect(billPrice({ postReads: 100 })).toBe(500_000);
  expect(billPrice({ userReads: 1 })).toBe(10_000);
  expect(billPrice({ requests: 1 })).toBe(10_000);
  expect(billPrice({ postReads: 2, userReads: 1, requests: 1 })).toBe(30_000);
  expect(billPrice({})).toBe(0);
});

describe("the window of a search", () => {
  const window = (fromMs: number | null, toMs: number, search: "recent" | "all" = "recent") =>
    searchWindow({ fromMs, toMs }, nowMs, search);

  test("an X search's window ends at least ten seconds ago, at a whole second", () => {
    expect(window(nowMs - day - 1, nowMs)).toEqual({
      search: "recent",
      fromMs: nowMs - day - 1_000,
      toMs: nowMs - 10_000,
    });
  });

  test("in full-archive search, an X search's window by default starts at X's first post", () => {
    expect(window(nowMs - 8 * day, nowMs - day, "all")).toMatchObject({ fromMs: nowMs - 8 * day });
    expect(window(null, nowMs - day, "all")).toMatchObject({ fromMs: Date.UTC(2006, 2, 21) });
  });

  test("an X search's window has no start in recent search unless it is clearly within seven days", () => {
    for (const fromMs of [null, nowMs - 8 * day, nowMs - 7 * day, nowMs - 7 * day + 890_000]) {
      expect(window(fromMs, nowMs - day)).toEqual({
        search: "recent",
        fromMs: null,
        toMs: nowMs - day,
      });
    }
    expect(window(nowMs - 9 * day, nowMs - 8 * day)).toBeNull();
  });

  test("an X search's window is null if it is too recent", () => {
    expect(window(nowMs - 5_000, nowMs)).toBeNull();
  });
});
