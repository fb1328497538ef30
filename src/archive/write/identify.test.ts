import { expect, test } from "vitest";
import { lastId, numberedId, uriNumber } from "../../posts/ids.ts";
import { currentAnalyzer, currentNumbering, type SegmentEntry } from "../catalog/catalog.ts";
import type { PostLookup } from "../segments/lookup.ts";
import { identifyPosts } from "./identify.ts";

const timeMs = Date.UTC(2026, 0, 1);
const entry: SegmentEntry = {
  platform: "bluesky",
  sequence: 1,
  low: 0n,
  high: lastId,
  skew: { minMs: 0, maxMs: 0 },
  analyzer: currentAnalyzer,
  numbering: currentNumbering,
  optimised: false,
  lastWrittenInCommit: 1,
  rewriting: false,
};

function lookupsWith(usedIds: ReadonlySet<bigint>) {
  const lookup: PostLookup<{ id: bigint }> = {
    has: (id) => usedIds.has(id),
    lowestId: () => null,
    highestId: () => null,
    findById: () => null,
    findByUri: () => null,
  };
  return {
    uriKey: "key",
    segments: [entry],
    openLookup: () => lookup,
    misplacedPosts: { misplacedIds: () => [] },
  };
}

test("a post whose ID and the 999 after it are in use gets the next free ID", () => {
  const uri = "at://did:plc:a/app.bsky.feed.post/1";
  const first = numberedId(timeMs, uriNumber(uri));
  const usedIds = new Set(Array.from({ length: 1_000 }, (_, n) => first + BigInt(n)));
  const [found] = identifyPosts(lookupsWith(usedIds), [{ platform: "bluesky", uri, timeMs }]);
  expect(found).toEqual({ id: first + 1_000n, isStored: false });
});

test("an unknown post gets the ID derived from its time and uri if it is free", () => {
  const uri = "at://did:plc:a/app.bsky.feed.post/1";
  const [found] = identifyPosts(lookupsWith(new Set()), [{ platform: "bluesky", uri, timeMs }]);
  expect(found?.id).toBe(numberedId(timeMs, uriNumber(uri)));
});
