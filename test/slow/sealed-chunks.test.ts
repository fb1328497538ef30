import { expect, test } from "vitest";
import {
  addToFts,
  emptySegment,
  expectedContents,
  sealedContents,
  sealedFrom,
} from "../../testkit/archives/segment-contents.ts";

test("terms around the edges of a chunk are sealed unchanged, even in many short steps", () => {
  const edges = [4_095, 4_096, 4_097, 8_192, 8_193, 65_535, 65_536, 65_537];
  const posts = new Map<bigint, string[]>();
  for (let n = 0; n < 65_600; n += 1) {
    const tokens = edges
      .filter((edge) => n < edge)
      .map((edge) => (edge < 65_536 ? `w${edge}` : `is:w${edge}`));
    // These posts are at the end of the first chunk and in the second.
    if (n > 61_000) tokens.push("old", "old");
    posts.set(1_000_000n - BigInt(n) * 3n, tokens);
  }
  const source = emptySegment();
  addToFts(source, posts);
  const { sealed, steps } = sealedFrom(source, posts.keys());
  const resealed = sealedFrom(sealed, posts.keys());
  for (const index of [sealed, resealed.sealed]) {
    const found = sealedContents(index);
    for (const [term, stored] of expectedContents(posts, new Set(posts.keys()))) {
      const positions = found.get(term) ?? new Map<bigint, string>();
      found.delete(term);
      expect([term, positions.size]).toEqual([term, stored.size]);
      expect([
        term,
        [...stored].filter(([id, position]) => positions.get(id) !== position),
      ]).toEqual([term, []]);
    }
    expect([...found.keys()]).toEqual([]);
  }
  expect(Math.min(steps, resealed.steps)).toBeGreaterThan(15);
  for (const database of [source, sealed, resealed.sealed]) database.close();
});
