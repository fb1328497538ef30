import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../bench/measure.ts";
import { type IndexForm, indexForms } from "../../../testkit/archives/index-forms.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { openPostSet, type PostSet, positionName } from "../../../testkit/data/post-set.ts";
import type { Post } from "../../posts/post.ts";
import type { CountAnswer, CoveredAnswer } from "../archive.ts";
import { createCompaction } from "../compaction/compaction.ts";
import { compactionContext } from "../compaction/context.ts";
import { runSteps } from "../compaction/steps.ts";
import { archiveDefaults } from "../settings.ts";

/**
 * Many calls on one reader, each suspended wherever possible, while posts are written and segments
 * replaced.
 */
const words = ["river", "stone", "bridge", "the", "old", "mill"];
const queries = [
  "river",
  "river stone",
  '"river stone"',
  '"the old mill"',
  '"the the the the"',
  "river OR bridge",
  "the -stone",
  "-river -stone",
  '"old * mill"',
  "(river OR stone) (bridge OR mill) -old",
  "since:2026-01-01_06:00:00_UTC until:2026-01-01_18:00:00_UTC the",
];
const firstMs = Date.UTC(2026, 0, 1);
const count = 1_200;

const formatText = (random: () => number): string =>
  Array.from({ length: 3 + Math.floor(random() * 6) }, () =>
    String(words[Math.floor(random() ** 2 * words.length)]),
  ).join(" ");

const postNumbered = (number: number, text: string): Post =>
  makePost({ key: `p${number}`, createdMs: firstMs + number * 60_000 + 7, text, revision: "1" });

const isVolatile = (number: number): boolean => number % 5 === 0;

type RunningCall = {
  query: string;
  limit: number;
  steps: Generator<void, CoveredAnswer | CountAnswer>;
  slices: number;
};

function openSet(form: IndexForm, random: () => number) {
  const posts = Array.from({ length: count }, (_, number) =>
    postNumbered(number, formatText(random)),
  );
  return { set: openPostSet(posts, 500, form), volatile: posts.filter((_, n) => isVolatile(n)) };
}

function beginCall(
  { archive, planOf }: PostSet,
  random: () => number,
  isCount: boolean,
): RunningCall {
  const query = queries[Math.floor(random() * queries.length)] as string;
  const limit = random() < 0.5 ? 7 : 2_000;
  const slice = { clock: { now: () => 0, elapsed: () => 0 }, isSliceOver: () => true };
  const plan = planOf(query);
  const baseRequest = {
    plan,
    platforms: ["bluesky"] as const,
    deadlineMs: Number.POSITIVE_INFINITY,
  };
  const { steps } = archive.reader;
  const toMs = firstMs + 2 * 86_400_000;
  return {
    query,
    limit,
    slices: 0,
    steps: isCount
      ? steps.count({ ...baseRequest, fromMs: firstMs, toMs, bucketMs: 3_600_000 }, slice)
      : steps.search({ ...baseRequest, fromMs: null, toMs: null, after: null, limit }, slice),
  };
}

function change({ archive }: PostSet, volatile: readonly Post[], random: () => number): void {
  const kind = random();
  if (kind < 0.06) {
    archive.seal();
    return;
  }
  if (kind < 0.12) {
    const context = compactionContext(
      archive.folder,
      { ...archiveDefaults, splitPosts: 300, seal: "off" },
      { now: () => 0 },
    );
    runSteps(createCompaction(context).runNext());
    context.catalog.close();
    return;
  }
  const changedPosts = Array.from(
    { length: 20 },
    () => volatile[Math.floor(random() * volatile.length)] as Post,
  );
  archive.advanceCap(1);
  archive.write(
    changedPosts.map((post) => {
      const revision = String(1_000_000 + Math.floor(random() * 1e6));
      return random() < 0.4
        ? { kind: "delete", platform: "bluesky", uri: post.uri, revision: "0" }
        : { kind: "upsert", post: { ...post, text: formatText(random), revision } };
    }),
  );
}

const total = ({ buckets }: CountAnswer): number =>
  buckets.reduce((sum, each) => sum + each.count, 0);

describe.each(indexForms)("interleaved calls on posts found by %s", (form) => {
  test("interleaved calls find every post that does not change, and none twice", () => {
    const random = seededRandom(7);
    const { set, volatile } = openSet(form, random);
    const volatileNames = new Set(
      set.archive
        .search({ plan: { kind: "all" }, limit: count })
        .positions.filter((_, position) => isVolatile(count - 1 - position))
        .map(positionName),
    );
    expect(volatileNames.size).toBe(volatile.length);
    const isStable = (name: string): boolean => !volatileNames.has(name);
    let slices = 0;
    try {
      for (let round = 0; round < 4; round++) {
        const runningCalls = Array.from({ length: 16 }, (_, n) =>
          beginCall(set, random, n % 4 === 3),
        );
        while (runningCalls.length > 0) {
          const position = Math.floor(random() * runningCalls.length);
          const call = runningCalls[position] as RunningCall;
          if (random() < 0.1) change(set, volatile, random);
          const step = call.steps.next();
          slices += 1;
          if (!step.done) continue;
          runningCalls.splice(position, 1);
          const expected = set.foundByMatcher(set.planOf(call.query)).filter(isStable);
          if ("buckets" in step.value) {
            expect(total(step.value), call.query).toBeGreaterThanOrEqual(expected.length);
            expect(total(step.value), call.query).toBeLessThanOrEqual(
              expected.length + volatile.length,
            );
            continue;
          }
          const found = step.value.positions.map(positionName);
          expect(new Set(found).size, call.query).toBe(found.length);
          expect(found.filter(isStable), call.query).toEqual(
            expected.slice(0, found.filter(isStable).length),
          );
          if (found.length < call.limit) {
            expect(found.filter(isStable), call.query).toHaveLength(expected.length);
          }
        }
      }
    } finally {
      set.remove();
    }
    expect(slices).toBeGreaterThan(120);
  });
});
