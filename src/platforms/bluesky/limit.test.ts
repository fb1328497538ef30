import { Headers } from "undici";
import { expect, test } from "vitest";
import { blueskyLimit } from "./limit.ts";

const now = Date.parse("2026-11-21T12:00:00Z");

test.each([
  [
    "a Unix time",
    { "ratelimit-remaining": "7", "ratelimit-reset": "1795262460" },
    { remaining: 7, resetMs: 1_795_262_460_000 },
  ],
  [
    "a number of seconds",
    { "ratelimit-remaining": "0", "ratelimit-reset": "60" },
    { remaining: 0, resetMs: now + 60_000 },
  ],
  ["nothing", {}, null],
  ["only half of the headers", { "ratelimit-remaining": "7" }, null],
  ["an invalid number", { "ratelimit-remaining": "many", "ratelimit-reset": "-1" }, null],
])("the reset of a Bluesky rate limit is read from %s", (_what, headers, expected) => {
  expect(blueskyLimit(new Headers(headers as Record<string, string>), 200, now)).toEqual(expected);
});
