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
    "a number of seconds from now",
    { "ratelimit-remaining": "0", "ratelimit-reset": "60" },
    { remaining: 0, resetMs: now + 60_000 },
  ],
])("the Bluesky rate limit's reset may be %s", (_form, headers, expected) => {
  expect(blueskyLimit(new Headers(headers), 200, now)).toEqual(expected);
});

test.each<[string, Record<string, string>]>([
  ["are missing", {}],
  ["are incomplete", { "ratelimit-remaining": "7" }],
  ["are not numbers", { "ratelimit-remaining": "many", "ratelimit-reset": "-1" }],
])("no Bluesky rate limit is read if the headers %s", (_name, headers) => {
  expect(blueskyLimit(new Headers(headers), 200, now)).toBeNull();
});
