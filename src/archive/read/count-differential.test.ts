import type { PlanNode } from "@earshot/query/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IndexForm, indexForms } from "../../../testkit/archives/index-forms.ts";
import { generatedPost } from "../../../testkit/data/generated.ts";
import { generatedQuery } from "../../../testkit/data/generated-queries.ts";
import { capMs, openPostSet, type PostSet, positionName } from "../../../testkit/data/post-set.ts";
import { dayMs, firstDayMs } from "../../../testkit/data/vocabulary.ts";
import { testRuns } from "../../../testkit/seed.ts";
import { lowestId, numberedId, postTimeMs, uriNumber } from "../../posts/ids.ts";
import { type Post, platforms } from "../../posts/post.ts";
import type { CountRequest } from "../archive.ts";

const minuteMs = 60_000;
const widths = { minute: minuteMs, hour: 60 * minuteMs, day: dayMs } as const;

const bound = fc
  .tuple(
    fc.integer({ min: -1, max: 7 }),
    fc.constantFrom(0, 1, -1, 400, 5_000, minuteMs, 17 * minuteMs + 1, dayMs / 2),
  )
  .map(([day, ms]) => firstDayMs + day * dayMs + ms);
const window = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(bound, bound).map((ends) => ends.sort((a, b) => a - b)) },
  { weight: 1, arbitrary: fc.constant([Date.UTC(2001, 0, 1), capMs]) },
);
const requestArbitrary = fc.record({
  query: generatedQuery,
  window,
  bucketMs: fc.constantFrom(...Object.values(widths)),
});

const skewedPost = (number: number): fc.Arbitrary<Post> =>
  fc
    .tuple(generatedPost(number), fc.constantFrom(0, -3_600_000, 999, 61_000, 5_400_000))
    .map(([post, offMs]) => {
      if (post.platform !== "x" || post.nativeId === null || post.createdMs === null) return post;
      if (number < 20) return post;
      const nativeId = lowestId(post.createdMs + offMs) + BigInt(number);
      return { ...post, nativeId, uri: `https://x.com/i/status/${nativeId}` };
    });

const posts = fc.tuple(...Array.from({ length: 60 }, (_, n) => skewedPost(n)));
const bounded = { interruptAfterTimeLimit: 25_000, markInterruptAsFailure: true };

type Window = Pick<CountRequest, "fromMs" | "toMs" | "bucketMs">;

function matchingTimes(set: PostSet, plan: PlanNode): Map<string, number> {
  const times = new Map(set.posts.map((post) => [postName(post), postTimeMs(post, capMs)]));
  const matching = new Set(set.foundByMatcher(plan));
  return new Map([...times].filter(([name]) => matching.has(name)));
}

function expectedBuckets(times: Iterable<number>, { fromMs, toMs, bucketMs }: Window) {
  const counts = new Map<number, number>();
  for (const timeMs of times) {
    if (timeMs < fromMs || timeMs >= toMs) continue;
    const start = Math.max(fromMs, Math.floor(timeMs / bucketMs) * bucketMs);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return [...counts]
    .map(([start, count]) => ({ fromMs: start, count }))
    .sort((a, b) => a.fromMs - b.fromMs);
}

function postName(post: Post): string {
  const timeMs = postTimeMs(post, capMs);
  const id = post.nativeId ?? numberedId(timeMs, uriNumber(post.uri));
  return positionName({ platform: post.platform, id });
}

function request(plan: PlanNode, window: Window): CountRequest {
  return { plan, platforms, ...window, deadlineMs: Number.POSITIVE_INFINITY };
}

const sets: Readonly<Record<IndexForm, number>> = {
  fts5: testRuns(2),
  sealed: testRuns(1),
  imported: testRuns(1),
  mixed: testRuns(1),
};

describe.each(indexForms)("posts found by %s", (form) => {
  test("counts equal those of a scan of every post, both the first time and when repeated", () => {
    const tally = { requests: 0, counted: 0, cached: 0 };
    fc.assert(
      fc.property(
        posts,
        fc.array(requestArbitrary, { minLength: 50, maxLength: 50 }),
        (drawn, requests) => {
          const set = openPostSet(drawn, 9, form);
          try {
            for (const { query, window, bucketMs } of requests) {
              const plan = set.planOf(query);
              const times = matchingTimes(set, plan);
              const [fromMs = 0, toMs = 0] = window;
              for (const width of [bucketMs, widths.hour, widths.hour]) {
                const span = { fromMs, toMs, bucketMs: width };
                const answer = set.archive.reader.operations.count(request(plan, span));
                expect(answer.buckets, query).toEqual(expectedBuckets(times.values(), span));
                expect(answer.countedFromMs).toBe(fromMs);
                tally.requests += 1;
                if (answer.buckets.length > 0) tally.counted += 1;
                if (answer.work.segmentsCached > 0) tally.cached += 1;
              }
            }
          } finally {
            set.remove();
          }
        },
      ),
      { numRuns: sets[form], ...bounded },
    );
    expect(tally.counted / tally.requests).toBeGreaterThan(0.15);
    expect(tally.cached / tally.requests).toBeGreaterThan(0.15);
  });

  test("counts of moving windows are exact while posts arrive and are deleted", () => {
    const step = fc.record({ window, change: fc.constantFrom("none", "none", "put", "delete") });
    fc.assert(
      fc.property(
        posts,
        generatedQuery,
        fc.constantFrom(...Object.values(widths)),
        fc.array(step, { minLength: 24, maxLength: 24 }),
        (drawn, query, bucketMs, steps) => {
          const known = openPostSet(drawn);
          const stored = drawn.slice(0, 45);
          const set = openPostSet(stored, 9, form);
          try {
            const plan = known.planOf(query);
            const times = matchingTimes(known, plan);
            let next = stored.length;
            for (const { window, change } of steps) {
              const fresh = drawn[next];
              const removed = change === "delete" ? stored.pop() : undefined;
              if (change === "put" && fresh !== undefined) {
                next += 1;
                stored.push(fresh);
                set.archive.put(fresh);
              }
              if (removed !== undefined) {
                const { platform, uri } = removed;
                set.archive.write([{ kind: "delete", platform, uri, revision: "9" }]);
              }
              const [fromMs = 0, toMs = 0] = window;
              const span = { fromMs, toMs, bucketMs };
              const { buckets } = set.archive.reader.operations.count(request(plan, span));
              const storedTimes = stored.flatMap((post) => times.get(postName(post)) ?? []);
              expect(buckets, query).toEqual(expectedBuckets(storedTimes, span));
            }
          } finally {
            set.remove();
            known.remove();
          }
        },
      ),
      { numRuns: sets[form], ...bounded },
    );
  });
});
