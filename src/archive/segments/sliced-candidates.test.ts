import { afterAll, expect, test } from "vitest";
import { type IndexedPost, segmentForms } from "../../../testkit/archives/segment-forms.ts";
import { numberedId } from "../../posts/ids.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { maxPostings, maxPosts, slicedCandidates } from "./sliced-candidates.ts";

const terms = Array.from({ length: 40 }, (_, number) => `old${number}`);
const olderPosts = 4_000;
const newerPosts = 12_000;

function* indexedPosts(): Generator<IndexedPost, void> {
  for (let number = 0; number < olderPosts + newerPosts; number++) {
    const timeMs = Date.UTC(2026, 0, 1) + number;
    const postTerms = number < olderPosts ? terms.join(" ") : "new";
    yield { id: numberedId(timeMs, 0n), timeMs, terms: postTerms };
  }
}

const forms = segmentForms(indexedPosts());
afterAll(() => forms.remove());

test("a slice reads a bounded number of postings even if the terms suddenly become frequent", () => {
  const query: SealedQuery = {
    kind: "or",
    children: terms.map((term) => ({ kind: "term", term })),
  };
  const range = { low: 0n, high: numberedId(Date.UTC(2027, 0, 1), 0n) };
  const found: bigint[] = [];
  let max = 0;
  forms.inspect((plain) => {
    const work = { statements: 0, postings: 0 };
    for (const { ids } of slicedCandidates(plain).batches(query, range, work)) {
      found.push(...ids);
      max = Math.max(max, work.postings);
      work.postings = 0;
    }
  });
  expect(new Set(found).size).toBe(olderPosts);
  expect(found).toHaveLength(olderPosts);
  expect(max).toBeLessThanOrEqual(2 * maxPostings + maxPosts);
});
