import { join } from "node:path";
import { extractBounds, type PlanNode } from "@earshot/query/plan";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import type { Position, SearchAnswer, SearchRequest } from "../../src/archive/archive.ts";
import { readSegments, segmentPath } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { openForReading } from "../../src/archive/database.ts";
import { platformQuery } from "../../src/archive/read/platform-query.ts";
import { searchSegments } from "../../src/archive/read/search.ts";
import { openSegment } from "../../src/archive/segments/segment.ts";
import {
  slicedQuery as inSlicesOf,
  slicedCandidates,
} from "../../src/archive/segments/sliced-candidates.ts";
import { lastId } from "../../src/posts/ids.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { openPostSet, type PostSet, positionName } from "../../testkit/data/post-set.ts";

/** FTS5 may scan millions of postings between matches. */
const words = ["the", "of", "a", "in", "old", "mill", "river", "stone"];
const random = seededRandom(3);
const draw = (): string => String(words[Math.floor(random() ** 2 * words.length)]);
const posts = Array.from({ length: 6_000 }, (_, number) =>
  makePost({
    key: `p${number}`,
    createdMs: Date.UTC(2026, 0, 1) + number * 60_000,
    text:
      number % 3 === 0
        ? "日本の山"
        : Array.from({ length: 4 + Math.floor(random() * 9) }, draw).join(" "),
  }),
);
const repeat = (number: number, make: (index: number) => string, between: string): string =>
  Array.from({ length: number }, (_, index) => make(index)).join(between);
const word = (index: number): string => words[index % words.length] as string;
const pair = (index: number): string => `${word(index)} ${word(index * 3 + 1)}`;

const queries = [
  repeat(128, (index) => `"${pair(index)}"`, " OR "),
  repeat(100, (index) => `(${pair(index)})`, " OR "),
  `${repeat(60, (index) => `(${pair(index)} -${word(index + 2)})`, " OR ")} -"the old mill"`,
  repeat(100, (index) => `-"${pair(index)}"`, " "),
  repeat(100, (index) => `-(${pair(index)})`, " "),
  repeat(60, (index) => `(日 OR "${pair(index)}")`, " "),
  `(日 OR 山 OR の) ${repeat(60, (index) => `("${pair(index)}" OR 本)`, " ")}`,
  repeat(60, (index) => `("${word(index)} * ${word(index + 5)}" ${word(index + 1)})`, " OR "),
];

/** Searches in the shortest possible slices. */
function searchInSlices({ archive }: PostSet, plan: PlanNode, limit: number) {
  const slicing = { clock: { now: () => 0, elapsed: () => 0 }, isSliceOver: () => true };
  const steps = archive.reader.steps.search(
    {
      plan,
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after: null,
      limit,
      deadlineMs: Number.POSITIVE_INFINITY,
    },
    slicing,
  );
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe.each(["fts5", "mixed"] as const)("slices of posts found by %s", (form) => {
  test("queries of many frequent terms find the same posts as the matcher, whole and in slices", () => {
    const set = openPostSet(posts, 9_000, form);
    let sliced = 0;
    try {
      for (const query of queries) {
        const plan = set.planOf(query);
        const expected = set.foundByMatcher(plan);
        const { positions, work } = set.archive.search({ plan, limit: posts.length });
        expect(positions.map(positionName), query).toEqual(expected);
        if (work.statements - work.rechecked > 1) sliced += 1;
        for (const limit of [7, 60]) {
          const found = searchInSlices(set, plan, limit).positions.map(positionName);
          expect(found, query).toEqual(expected.slice(0, limit));
        }
        const counted = set.archive.reader.operations.count({
          plan,
          platforms: ["bluesky"],
          fromMs: Date.UTC(2026, 0, 1),
          toMs: Date.UTC(2026, 0, 9),
          bucketMs: 3_600_000,
          deadlineMs: Number.POSITIVE_INFINITY,
        });
        const sum = counted.buckets.reduce((total, { count }) => total + count, 0);
        expect(sum, query).toBe(expected.length);
      }
      if (form === "fts5") expect(sliced).toBeGreaterThan(2);
    } finally {
      set.remove();
    }
  });
});

describe("a search for many prefixes in a sealed segment", () => {
  const named = Array.from({ length: 3_000 }, (_, number) =>
    makePost({
      key: `n${number}`,
      createdMs: Date.UTC(2026, 0, 1) + number * 60_000,
      text: `${word(number)} a${number} b${number % 700} c${number % 90}`,
    }),
  );
  const plan: PlanNode = {
    kind: "or",
    children: Array.from({ length: 200 }, (_, number): PlanNode => {
      const prefix = `${"abc"[number % 3]}${number % 3 === 2 ? "" : number % 10}`;
      return { kind: "terms", elements: [{ kind: "prefix", prefix }] };
    }),
  };
  const request = {
    plan,
    platforms: ["bluesky"] as const,
    fromMs: null,
    toMs: null,
    limit: 1_000,
  };

  function runSlices<Value>(steps: Generator<void, Value>): { value: Value; slices: number } {
    for (let slices = 1; ; slices += 1) {
      const step = steps.next();
      if (step.done) return { value: step.value, slices };
    }
  }

  test("a search for many prefixes continues from slice to slice while it looks up terms, and its answer is complete", () => {
    const set = openPostSet(named, 9_000, "sealed");
    try {
      const expected = set.foundByMatcher(plan).slice(0, request.limit);
      const slicing = { clock: { now: () => 0, elapsed: () => 0 }, isSliceOver: () => true };
      const requested = { ...request, after: null, deadlineMs: 1 };
      const { value, slices } = runSlices(set.archive.reader.steps.search(requested, slicing));
      expect(value.positions.map(positionName)).toEqual(expected);
      expect(value.complete).toBe(true);
      expect(slices).toBeGreaterThan(10);
    } finally {
      set.remove();
    }
  });

  test("a search for many prefixes makes progress with each page, even after its time limit", () => {
    const set = openPostSet(named.slice(0, 800), 9_000, "mixed");
    try {
      const slicing = { clock: { now: () => 1, elapsed: () => 0 }, isSliceOver: () => false };
      const found: string[] = [];
      let after: Position | null = null;
      let pages = 0;
      do {
        const requested: SearchRequest = { ...request, after, deadlineMs: 0 };
        const answer: SearchAnswer = runSlices(
          set.archive.reader.steps.search(requested, slicing),
        ).value;
        const { positions, next } = answer;
        found.push(...positions.map(positionName));
        after = next;
        pages += 1;
      } while (after !== null && pages < 100);
      expect(found).toEqual(set.foundByMatcher(plan));
    } finally {
      set.remove();
    }
  });

  test("a search for many prefixes ends when it is cancelled while it looks up terms", () => {
    const set = openPostSet(named, 9_000, "sealed");
    try {
      const slicing = { clock: { now: () => 0, elapsed: () => 0 }, isSliceOver: () => true };
      let isCancelled = false;
      const segments = readSegmentsOf(set);
      const steps = searchSegments({ ...request, after: null, deadlineMs: 1 }, segments.entries, {
        ...slicing,
        open: segments.open,
        isStopped: () => isCancelled,
      });
      steps.next();
      isCancelled = true;
      const { value, slices } = runSlices(steps);
      expect(slices).toBe(1);
      expect(value).toMatchObject({ positions: [], complete: false });
      segments.close();
    } finally {
      set.remove();
    }
  });
});

function readSegmentsOf({ archive: { folder } }: PostSet) {
  const catalog = openCatalog(folder);
  const entries = readSegments(catalog);
  catalog.close();
  const [entry] = entries;
  if (entry === undefined) throw new Error("there is no segment");
  const segment = openSegment(segmentPath(folder, entry), "bluesky", 1_000);
  return { entries, open: () => segment, close: segment.close };
}

test("the candidates of slices are exact, or a superset that is checked", () => {
  const set = openPostSet(posts, 9_000, "fts5");
  const database = openForReading(join(set.archive.folder, "bluesky", "000001.db"), 1_000);
  try {
    for (const text of [...queries, "the mill", "the -mill", "-the -of", '"old mill" OR 日']) {
      const plan = set.planOf(text);
      const query = platformQuery("bluesky", extractBounds(plan, { fromMs: null, toMs: null }));
      if (query === null) throw new Error(`${text} matches nothing`);
      const range = { low: 0n, high: lastId };
      const batches = [
        ...slicedCandidates(database).batches(query.sealed, range, { statements: 0 }),
      ];
      const found = batches.flatMap(({ ids }) => ids.map((id) => `bluesky ${id}`));
      const expected = set.foundByMatcher(plan);
      if (inSlicesOf(query).residual.kind === "all") expect(found, text).toEqual(expected);
      else expect(found, text).toEqual(expect.arrayContaining(expected));
      expect(found, text).toEqual(found.toSorted(newestFirst));
    }
  } finally {
    database.close();
    set.remove();
  }
});

const newestFirst = (a: string, b: string): number =>
  BigInt(a.slice(8)) < BigInt(b.slice(8)) ? 1 : -1;

test("a slice reads a bounded number of postings, and reads each term once even if it is repeated", () => {
  const set = openPostSet(posts, 9_000, "fts5");
  try {
    const { work } = set.archive.search({ plan: set.planOf(String(queries[0])), limit: 6_000 });
    const distinctTerms = words.length;
    // A slice covers 512 posts, or as many as have 16,384 postings.
    expect(work.statements - work.rechecked).toBeLessThanOrEqual(12 * (distinctTerms + 1));
    const first = set.archive.search({ plan: set.planOf(String(queries[0])), limit: 1 });
    expect(first.work.statements - first.work.rechecked).toBe(distinctTerms + 2);
  } finally {
    set.remove();
  }
});
