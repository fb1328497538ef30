import { expect, test } from "vitest";
import { lowestId, uriHash } from "../../posts/ids.ts";
import type { Position } from "../archive.ts";
import { comesAfter } from "./search.ts";

const id = lowestId(Date.UTC(2026, 0, 1)) + 7n;
const uris = ["at://a/1", "at://a/2"].sort((a, b) => (uriHash(a) < uriHash(b) ? -1 : 1));
const [lower = "", higher = ""] = uris;

function post(uri: string, overrides: Partial<Position> = {}) {
  return { platform: "bluesky" as const, id, uri, ...overrides };
}

test("a post in the millisecond of a position comes after it if its uri hash is lower, regardless of its ID", () => {
  const after = { platform: "bluesky", id, uriHash: uriHash(higher) } as const;
  expect(comesAfter(post(lower, { id: id + 1n }), after)).toBe(true);
  expect(comesAfter(post(higher, { id: id - 1n }), after)).toBe(false);
  expect(comesAfter(post(higher), { ...after, uriHash: uriHash(lower) })).toBe(false);
});

test("any other post comes after a position if its ID is lower", () => {
  const after = { platform: "bluesky", id, uriHash: uriHash(lower) } as const;
  expect(comesAfter(post(higher, { id: lowestId(Date.UTC(2025, 0, 1)) }), after)).toBe(true);
  expect(comesAfter(post(higher, { platform: "mastodon", id: id - 1n }), after)).toBe(true);
  expect(comesAfter(post(higher, { platform: "mastodon", id: id + 1n }), after)).toBe(false);
});
