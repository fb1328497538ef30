import type { PlanNode } from "@earshot/query/plan";
import { afterEach, describe, expect, test } from "vitest";
import { storedForms, storeInSegmentAs } from "../../../testkit/archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Position } from "../archive.ts";
import { comparePositions } from "./search.ts";

describe.each(storedForms)("posts found by %s", (form) => {
  const start = Date.UTC(2026, 0, 1);
  const everything: PlanNode = { kind: "all" };
  let archive: SmallArchive;
  afterEach(() => archive.remove());

  const word = (token: string): PlanNode => ({
    kind: "terms",
    elements: [{ kind: "token", token }],
  });

  function fill(count: number, segmentPosts = 100): void {
    archive = smallArchive(segmentPosts);
    storeInSegmentAs(
      archive,
      [
        ...Array.from({ length: count }, (_, n) =>
          makePost({
            key: `k${n}`,
            createdMs: start + n,
            text: n === 5 ? "rare one" : "common one",
          }),
        ),
      ],
      form,
    );
  }

  function fillEachPlatform(count: number): void {
    archive = smallArchive(10);
    storeInSegmentAs(
      archive,
      [
        ...Array.from({ length: count }, (_, n) =>
          makePost({
            platform: (["bluesky", "mastodon", "x"] as const)[n % 3] ?? "x",
            uri: `uri:${n}`,
            createdMs: start + n,
            text: "common one",
            counts: counted(Math.floor(n / 15) * 50 + 50),
          }),
        ),
      ],
      form,
    );
  }

  function allPages(limit: number, plan: PlanNode = everything): Position[] {
    const found: Position[] = [];
    let after: Position | null = null;
    for (let pages = 0; pages < 1_000; pages++) {
      const page = archive.search({ plan, limit, after });
      found.push(...page.positions);
      after = page.next;
      if (after === null) return found;
    }
    throw new Error("paging does not end");
  }

  describe("the work of a search", () => {
    test("a search opens only the newest segment if it has enough matches", () => {
      fill(550);
      const { work, positions } = archive.search({ plan: word("common"), limit: 20 });
      expect(positions).toHaveLength(20);
      expect(work).toEqual({
        segmentsOfPlatforms: 6,
        segmentsInWindow: 6,
        segmentsOpened: 1,
        slices: 1,
        statements: 1,
        candidates: 21,
        rechecked: 0,
        containers: form === "sealed" ? 1 : 0,
        returned: 20,
        segments: [],
      });
    });

    test("a search opens only the old segment that its window covers", () => {
      fill(500);
      const { work, positions } = archive.search({
        plan: everything,
        fromMs: start + 110,
        toMs: start + 120,
      });
      expect(positions).toHaveLength(10);
      expect(work).toMatchObject({
        segmentsOfPlatforms: 6,
        segmentsInWindow: 1,
        segmentsOpened: 1,
        candidates: 10,
      });
    });

    test("a search treats a window in the query like one in the request", () => {
      fill(500);
      const plan: PlanNode = {
        kind: "and",
        children: [
          word("common"),
          { kind: "time", fromMs: start + 110, toMs: null },
          { kind: "not", child: { kind: "time", fromMs: start + 120, toMs: null } },
        ],
      };
      const { work, positions } = archive.search({ plan });
      expect(positions).toHaveLength(10);
      expect(work).toMatchObject({ segmentsOpened: 1, candidates: 10 });
    });

    test("a search opens no segment for a query that cannot match", () => {
      fill(10);
      const empty = { plan: everything, fromMs: start + 5, toMs: start + 5 };
      expect(archive.search(empty).work.segmentsOpened).toBe(0);
      expect(archive.search({ plan: { kind: "none" } }).work.segmentsOpened).toBe(0);
    });

    test("a search opens only the segments of a platform named in the query", () => {
      fillEachPlatform(90);
      const plan: PlanNode = {
        kind: "and",
        children: [word("common"), { kind: "platform", platform: "mastodon" }],
      };
      const { work, positions } = archive.search({ plan, maxListedSegments: 100 });
      expect(positions).toHaveLength(30);
      expect(work).toMatchObject({
        segmentsOfPlatforms: 12,
        segmentsInWindow: 4,
        segmentsOpened: 4,
      });
      expect(new Set(work.segments.map(({ platform }) => platform))).toEqual(new Set(["mastodon"]));
    });

    test("a search reads no row, and every candidate is a match, if the index is exact", () => {
      fillEachPlatform(90);
      const plan: PlanNode = {
        kind: "and",
        children: [
          word("common"),
          { kind: "not", child: word("rare") },
          { kind: "min-count", metric: "likes", atLeast: 100 },
        ],
      };
      const { work } = archive.search({ plan });
      expect(work.returned).toBe(75);
      expect(work.candidates).toBe(work.returned);
      expect(work).toMatchObject({ rechecked: 0, statements: work.segmentsOpened });
    });

    test("a search reads each candidate's row if the index is inexact", () => {
      fillEachPlatform(90);
      const plan: PlanNode = { kind: "min-count", metric: "likes", atLeast: 150 };
      const { work } = archive.search({ plan });
      expect(work).toMatchObject({ candidates: 75, rechecked: 75, returned: 60 });
      expect(work.statements).toBe(work.segmentsOpened + 75);
    });

    test("a search reports its work for the requested number of segments, in visiting order", () => {
      fill(550);
      const { work } = archive.search({ plan: word("rare"), maxListedSegments: 4 });
      expect(work.segmentsOpened).toBe(6);
      const before = form === "sealed" ? 6 : 0;
      expect(work.segments.map(({ sequence }) => sequence - before)).toEqual([6, 5, 4, 3]);
      const all = archive.search({ plan: word("rare"), maxListedSegments: 100 }).work.segments;
      expect(all.at(-1)).toEqual({
        platform: "bluesky",
        sequence: before + 1,
        candidates: 1,
        rechecked: 0,
        containers: form === "sealed" ? 1 : 0,
        found: 1,
        tookMs: 0,
      });
    });
  });

  describe("paging", () => {
    test("paging returns every post once, across segments and when a page ends exactly at a boundary", () => {
      fill(300);
      const all = archive.search({ plan: everything, limit: 500 }).positions;
      for (const limit of [1, 7, 100, 150, 299, 300]) {
        expect(allPages(limit)).toEqual(all);
      }
    });

    test("paging reports whether there are more posts, without an empty last page", () => {
      fill(100);
      expect(archive.search({ plan: everything, limit: 100 }).next).toBeNull();
      expect(archive.search({ plan: everything, limit: 99 }).next).not.toBeNull();
    });

    test("paging neither repeats nor skips posts while newer and older ones arrive", () => {
      fill(50);
      const first = archive.search({ plan: everything, limit: 20 });
      storeInSegmentAs(archive, [makePost({ key: "newer", createdMs: start + 10_000 })], form);
      storeInSegmentAs(archive, [makePost({ key: "older", createdMs: start - 10_000 })], form);
      const second = archive.search({ plan: everything, limit: 100, after: first.next });
      expect(first.positions.length + second.positions.length).toBe(51);
      expect(new Set([...first.positions, ...second.positions].map(({ id }) => id)).size).toBe(51);
    });

    test("paging continues after a post that was deleted between two pages", () => {
      fill(10);
      const first = archive.search({ plan: everything, limit: 5 });
      archive.write([
        {
          kind: "delete",
          platform: "bluesky",
          uri: makePost({ key: "k5" }).uri,
          revision: "3zz",
        },
      ]);
      const second = archive.search({ plan: everything, limit: 5, after: first.next });
      expect(second.positions).toHaveLength(5);
    });

    test("paging merges platforms newest first, and by name for equal IDs", () => {
      archive = smallArchive(4);
      const posts = Array.from({ length: 30 }, (_, n) => {
        const platform = (["bluesky", "mastodon", "x"] as const)[n % 3] ?? "x";
        return makePost({ platform, uri: `uri:${n}`, createdMs: start + Math.floor(n / 2) });
      });
      storeInSegmentAs(archive, [...posts], form);
      const all = archive.search({ plan: everything, limit: 500 }).positions;
      expect(all).toHaveLength(30);
      expect(all).toEqual(all.toSorted(comparePositions));
      for (const limit of [1, 4, 9]) expect(allPages(limit)).toEqual(all);
      const onX = archive.search({ plan: everything, platforms: ["x"] }).positions;
      expect(onX).toEqual(all.filter(({ platform }) => platform === "x"));
    });
  });

  describe("the deadline of a search", () => {
    const plan: PlanNode = { kind: "min-count", metric: "likes", atLeast: 150 };

    function allPagesInTime(deadlineMs: number, reset: () => void) {
      const found: Position[] = [];
      let after: Position | null = null;
      let partial = 0;
      for (let pages = 0; pages < 500; pages++) {
        reset();
        const page = archive.search({ plan, limit: 10, after, deadlineMs });
        found.push(...page.positions);
        if (!page.complete) partial += 1;
        after = page.next;
        if (after === null) return { found, partial };
      }
      throw new Error("paging does not end");
    }

    test("the deadline ends the answer with a cursor, and no post is lost or repeated", () => {
      let nowMs = 0;
      archive = smallArchive(20, () => nowMs++);
      storeInSegmentAs(
        archive,
        [
          ...Array.from({ length: 200 }, (_, n) =>
            makePost({ key: `k${n}`, createdMs: start + n, counts: counted(n) }),
          ),
        ],
        form,
      );
      const { found, partial } = allPagesInTime(6, () => {
        nowMs = 0;
      });
      expect(partial).toBeGreaterThan(0);
      expect(found).toEqual(archive.search({ plan, limit: 500 }).positions);
      expect(found).toHaveLength(50);
    });

    test("a deadline between two segments loses no post at the boundary", () => {
      let nowMs = 0;
      archive = smallArchive(1, () => nowMs++);
      const lastInMillisecond = (10_000_000n << 22n) - 1n;
      for (const nativeId of [lastInMillisecond, lastInMillisecond + 1n]) {
        storeInSegmentAs(
          archive,
          [makePost({ platform: "x", nativeId, counts: counted(200) })],
          form,
        );
      }
      const { found, partial } = allPagesInTime(0, () => {
        nowMs = 0;
      });
      expect(partial).toBeGreaterThan(0);
      expect(found.map(({ id }) => id)).toEqual([lastInMillisecond + 1n, lastInMillisecond]);
    });

    test("every page makes progress even if its deadline has already passed, on several platforms at once", () => {
      let nowMs = 0;
      archive = smallArchive(400, () => nowMs++);
      storeInSegmentAs(
        archive,
        [
          ...Array.from({ length: 1_200 }, (_, n) =>
            makePost({
              platform: (["bluesky", "mastodon", "x"] as const)[n % 3] ?? "x",
              uri: `uri:${n}`,
              createdMs: start + n,
              // Reaches the indexed threshold below the requested one, so that each is a candidate
              // and few match.
              counts: counted(n % 30 === 0 ? 200 : 120),
            }),
          ),
        ],
        form,
      );
      const { found, partial } = allPagesInTime(0, () => {
        nowMs = 0;
      });
      expect(partial).toBeGreaterThan(0);
      expect(found).toEqual(archive.search({ plan, limit: 500 }).positions);
      expect(found).toHaveLength(40);
    });
  });

  const counted = (likes: number) => ({ likes, reposts: null, replies: null, quotes: null });
});
