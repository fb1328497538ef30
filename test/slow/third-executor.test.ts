import { matches, type Subject } from "@earshot/query/match";
import type { PlanNode } from "@earshot/query/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Position } from "../../src/archive/archive.ts";
import { numberedId, postTimeMs, uriNumber } from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";
import { indexTerms } from "../../src/posts/terms.ts";
import { type IndexForm, indexForms } from "../../testkit/archives/index-forms.ts";
import { generatedPost } from "../../testkit/data/generated.ts";
import { generatedQuery } from "../../testkit/data/generated-queries.ts";
import { capMs, openPostSet, positionName } from "../../testkit/data/post-set.ts";
import {
  type PostingListExecutor,
  postingListExecutor,
} from "../../testkit/data/posting-list-executor.ts";

const postsPerSet = 40;
const queriesPerSet = 40;

const posts = fc.tuple(...Array.from({ length: postsPerSet }, (_, n) => generatedPost(n)));
const queries = fc.array(generatedQuery, { minLength: queriesPerSet, maxLength: queriesPerSet });

const sets: Readonly<Record<IndexForm, number>> = {
  fts5: 15,
  sealed: 6,
  imported: 6,
  mixed: 12,
};

describe.each(indexForms)("posts found by %s", (form) => {
  test("the posting lists of docs/executors.md find the same posts as the archive and the matcher", () => {
    const totals = { exact: 0, rechecked: 0, dropped: 0, found: 0 };
    fc.assert(
      fc.property(posts, queries, (drawn, requested) => {
        const set = openPostSet(drawn, 9, form);
        try {
          const subjects = drawn.map(postSubject);
          const executor = postingListExecutor(subjects);
          for (const query of requested) {
            const plan = set.planOf(query);
            const answer = executor.search({ plan, limit: postsPerSet, after: null });
            const found = answer.positions.map(positionName);
            expect(found, query).toEqual(set.foundByArchive(plan));
            expect(found.toSorted(), query).toEqual(foundByMatcher(plan, subjects));
            if (found.length > 0) totals.found += 1;
            if (answer.recheckedCount === 0) totals.exact += 1;
            else totals.rechecked += 1;
            if (answer.candidateCount > found.length) totals.dropped += 1;
          }
        } finally {
          set.remove();
        }
      }),
      { numRuns: sets[form] },
    );
    for (const times of Object.values(totals)) expect(times).toBeGreaterThan(15);
  });

  test("pages of any size from the posting lists equal the archive's", () => {
    fc.assert(
      fc.property(posts, generatedQuery, fc.integer({ min: 1, max: 9 }), (drawn, query, limit) => {
        const set = openPostSet(drawn, 9, form);
        try {
          const plan = set.planOf(query);
          const executor = postingListExecutor(drawn.map(postSubject));
          let after: Position | null = null;
          do {
            const page: ReturnType<PostingListExecutor["search"]> = executor.search({
              plan,
              limit,
              after,
            });
            const { positions, next } = set.archive.search({ plan, limit, after });
            expect(page.positions, query).toEqual(positions);
            // The archive's position also orders posts in the same millisecond across servers.
            expect(page.next, query).toEqual(next && { platform: next.platform, id: next.id });
            after = page.next;
          } while (after !== null);
        } finally {
          set.remove();
        }
      }),
      { numRuns: sets[form] },
    );
  });
});

test.for<[string, PlanNode]>([
  ["a time", { kind: "time", fromMs: 5, toMs: null }],
  ["an ID", { kind: "id", low: 5n, high: null }],
  ["a count", { kind: "min-count", metric: "likes", atLeast: 15 }],
  ["a circle", { kind: "geo", lat: 0, lon: 0, radiusKm: 5 }],
])("the posting lists' superset for %s is rechecked, even under a negation", ([, plan]) => {
  const subjects = [1, 5, 9].map((n) => smallSubject(n));
  const executor = postingListExecutor(subjects);
  const request = (requested: PlanNode) =>
    executor
      .search({ plan: requested, limit: 9, after: null })
      .positions.map(({ id }) => Number(id));
  expect(request(plan)).toEqual([9, 5]);
  expect(request({ kind: "not", child: plan })).toEqual([1]);
  expect(request({ kind: "not", child: { kind: "not", child: plan } })).toEqual([9, 5]);
  expect(request({ kind: "and", children: [plan, { kind: "not", child: plan }] })).toEqual([]);
  expect(request({ kind: "or", children: [plan, { kind: "not", child: plan }] })).toEqual([
    9, 5, 1,
  ]);
});

function foundByMatcher(plan: PlanNode, subjects: readonly Subject[]): string[] {
  return subjects
    .filter((subject) => matches(plan, subject))
    .map(positionName)
    .sort();
}

function postSubject(post: Post): Subject {
  const timeMs = postTimeMs(post, capMs);
  return {
    id: post.nativeId ?? numberedId(timeMs, uriNumber(post.uri)),
    platform: post.platform,
    timeMs,
    counts: post.counts,
    geo: () => post.geo,
    terms: () => indexTerms(post),
  };
}

/** Posts 5 and 9 are within every bound, post 1 just outside. */
function smallSubject(n: number): Subject {
  const isWithin = n >= 5;
  return {
    id: BigInt(n),
    platform: "x",
    timeMs: n,
    counts: { likes: isWithin ? 20 : 12, reposts: null, replies: null, quotes: null },
    geo: () => ({ lat: isWithin ? 0 : 3, lon: 0 }),
    terms: () => ["is:post", "likes>=1", "likes>=10", "has:geo"],
  };
}
