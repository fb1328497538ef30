import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxTerms, parseQuery } from "@earshot/query";
import { extractBounds, makePlan, namesIn, type PlanNode } from "@earshot/query/plan";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { readSegments, segmentPath } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { platformQuery } from "../../src/archive/read/platform-query.ts";
import { recheckedPerStep } from "../../src/archive/segments/row-scan.ts";
import type { SegmentQuery } from "../../src/archive/segments/search-segment.ts";
import { openSegment, type Segment } from "../../src/archive/segments/segment.ts";
import { maxPosts } from "../../src/archive/segments/sliced-candidates.ts";
import { createReader, type Reader } from "../../src/archive/threads/reader.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lastId } from "../../src/posts/ids.ts";
import { sealAll } from "../../testkit/archives/seal-all.ts";
import { archiveFolder, writeZipfPosts } from "../../testkit/archives/zipf-archive.ts";
import {
  isAccepted,
  knownShapes,
  mutate,
  type QueryShape,
  queryText,
} from "../../testkit/data/expensive-queries.ts";
import { testRuns, testSeed } from "../../testkit/seed.ts";

/** Searches for the most expensive valid query by mutation. Times are printed, work per slice is asserted. */
const posts = 150_000;
const deltaPosts = 8_000;
const forms = ["unsealed", "sealed", "mixed"] as const;
const searchMs = testRuns(20_000);
const sliceMs = 8;
const limit = 500;
const maxTotalMs = 3_000;

const root = mkdtempSync(join(tmpdir(), "earshot-expensive-"));
const getDataDir = (form: string): string => join(root, form);

beforeAll(() => {
  writeZipfPosts(getDataDir("unsealed"), 0, posts);
  cpSync(getDataDir("unsealed"), getDataDir("sealed"), { recursive: true });
  sealAll(archiveFolder(getDataDir("sealed")));
  cpSync(getDataDir("sealed"), getDataDir("mixed"), { recursive: true });
  writeZipfPosts(getDataDir("mixed"), posts, posts + deltaPosts);
}, 240_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Cost = { longestMs: number; totalMs: number };
type Finding = Cost & { shape: QueryShape };

function planOf(reader: Reader, query: string): PlanNode {
  const { tree } = parseQuery(query);
  return makePlan(tree, { names: reader.operations.resolve(namesIn(tree)), asOfMs: 0 });
}

/** Searches in slices, as when other calls are waiting. */
function getCost(reader: Reader, query: string): Cost {
  const cost = { longestMs: 0, totalMs: 0 };
  let endMs = 0;
  const steps = reader.steps.search(
    {
      plan: planOf(reader, query),
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after: null,
      limit,
      deadlineMs: Number.POSITIVE_INFINITY,
    },
    { clock: systemClock, isSliceOver: () => performance.now() >= endMs },
  );
  for (let isDone = false; !isDone && cost.totalMs < maxTotalMs; ) {
    const startMs = performance.now();
    endMs = startMs + sliceMs;
    isDone = steps.next().done === true;
    const tookMs = performance.now() - startMs;
    cost.totalMs += tookMs;
    cost.longestMs = Math.max(cost.longestMs, tookMs);
  }
  return cost;
}

/** The most work in one slice, with the shortest possible slices. */
function sliceWork(segment: Segment, query: SegmentQuery, low: bigint) {
  const max = { statements: 0, candidates: 0, rechecked: 0, containers: 0 };
  for (let high = lastId, left = limit, slices = 0; left > 0 && slices < 400; slices++) {
    const answer = segment.search(query, { low, high }, left, () => true);
    for (const name of ["statements", "candidates", "rechecked", "containers"] as const) {
      max[name] = Math.max(max[name], answer[name]);
    }
    left -= answer.ids.length;
    if (answer.stoppedAt === null || answer.stoppedAt <= low) break;
    high = answer.stoppedAt - 1n;
  }
  return max;
}

/**
 * Statements: one for the IDs of a slice, one per term, plus rechecked rows. Candidates: a page, or the posts of a
 * slice. Containers: those of the terms in one chunk.
 */
const isBounded = (work: ReturnType<typeof sliceWork>): boolean =>
  work.statements <= 2 + maxTerms + recheckedPerStep &&
  work.rechecked <= recheckedPerStep &&
  work.candidates <= maxPosts &&
  work.containers <= maxTerms * 2;

/** Maximises the longest slice, then the total time. */
function climb(reader: Reader, random: () => number): { longest: Finding; total: Finding } {
  const measure = (shape: QueryShape): Finding => {
    const query = queryText(shape);
    const costs = [getCost(reader, query), getCost(reader, query)];
    // Other processes can only add time, so the minimum counts.
    return {
      shape,
      longestMs: Math.min(...costs.map(({ longestMs }) => longestMs)),
      totalMs: Math.min(...costs.map(({ totalMs }) => totalMs)),
    };
  };
  const known = knownShapes().map(measure);
  const best = (by: keyof Cost, durationMs: number): Finding => {
    const worst = known.toSorted((a, b) => b[by] - a[by]).slice(0, 3);
    const endMs = performance.now() + durationMs;
    for (let turn = 0; performance.now() < endMs; turn++) {
      const position = turn % worst.length;
      const parent = worst[position];
      if (parent === undefined) break;
      const mutated = mutate(parent.shape, random);
      if (!isAccepted(queryText(mutated))) continue;
      const child = measure(mutated);
      if (child[by] > parent[by]) worst[position] = child;
    }
    const [first] = worst.toSorted((a, b) => b[by] - a[by]);
    if (first === undefined) throw new Error("no query was measured");
    return first;
  };
  return { longest: best("longestMs", searchMs / 2), total: best("totalMs", searchMs / 2) };
}

const describeFinding = ({ shape, longestMs, totalMs }: Finding): string =>
  `longest slice ${longestMs.toFixed(1)} ms, total ${totalMs.toFixed(0)} ms: ${queryText(shape).slice(0, 160)}`;

describe.each(forms)("the most expensive queries of %s posts", (form) => {
  test("the most expensive queries do a bounded amount of work in one slice", () => {
    const folder = archiveFolder(getDataDir(form));
    const catalog = openCatalog(folder);
    const [entry] = readSegments(catalog);
    catalog.close();
    if (entry === undefined) throw new Error("no segment");
    const reader = createReader(folder, 8_000, systemClock);
    const segment = openSegment(segmentPath(folder, entry), "bluesky", 8_000);
    try {
      const found = climb(reader, seededRandom(testSeed(7)));
      console.log(
        `${form}\n  ${describeFinding(found.longest)}\n  ${describeFinding(found.total)}`,
      );
      for (const shape of [...knownShapes(), found.longest.shape, found.total.shape]) {
        const text = queryText(shape);
        const query = platformQuery(
          "bluesky",
          extractBounds(planOf(reader, text), { fromMs: null, toMs: null }),
        );
        if (query === null) continue;
        const work = sliceWork(segment, { ...query, skew: entry.skew }, entry.low);
        expect(work, text).toSatisfy(isBounded);
      }
    } finally {
      segment.close();
      reader.close();
    }
  });
});
