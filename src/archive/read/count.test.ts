import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { updateCatalogChecksums } from "../../../testkit/archives/change-catalog.ts";
import { storedForms, storeInSegmentAs } from "../../../testkit/archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import { lowestId } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import type { CountRequest } from "../archive.ts";
import { catalogPath } from "../catalog/catalog.ts";
import { openArchive } from "../threads/open.ts";

describe.each(storedForms)("posts found by %s", (form) => {
  const hourMs = 3_600_000;
  const dayMs = 24 * hourMs;
  const start = Date.UTC(2026, 0, 1);

  let archive: SmallArchive;
  let times: number[];

  beforeEach(() => {
    times = [0];
    archive = smallArchive(10, () => (times.length > 1 ? times.shift() : times[0]) ?? 0);
  });
  afterEach(() => archive.remove());

  function count(query: string, more: Partial<CountRequest> = {}) {
    const { operations } = archive.reader;
    const { tree } = parseQuery(query);
    const plan = makePlan(tree, { names: operations.resolve(namesIn(tree)), asOfMs: 0 });
    return operations.count({
      plan,
      platforms: ["bluesky", "mastodon", "x"],
      fromMs: start,
      toMs: start + dayMs,
      bucketMs: hourMs,
      deadlineMs: Number.POSITIVE_INFINITY,
      ...more,
    });
  }

  let posts = 0;

  function at(ms: number, more: Partial<Post> = {}): Post {
    posts += 1;
    return makePost({ key: String(posts), createdMs: ms, ...more });
  }

  const skewed = (ms: number, idMs: number): Post => {
    const nativeId = lowestId(idMs) + 5n;
    return at(ms, { platform: "x", nativeId, uri: `https://x.com/i/status/${nativeId}` });
  };

  const quarters = (number: number): Post[] =>
    Array.from({ length: number }, (_, n) => at(start + (n * hourMs) / 4));

  const total = ({ buckets }: { buckets: readonly { count: number }[] }): number =>
    buckets.reduce((sum, bucket) => sum + bucket.count, 0);

  describe("counts", () => {
    test("counts assign each match to the bucket of its time, and omit empty buckets", () => {
      storeInSegmentAs(
        archive,
        [
          at(start, { text: "a comet" }),
          at(start + hourMs - 1, { text: "comet" }),
          at(start + hourMs, { text: "comet" }),
          at(start + 2 * hourMs, { text: "aurora" }),
          at(start + 5 * hourMs, { text: "comet" }),
        ],
        form,
      );
      expect(count("comet")).toMatchObject({
        buckets: [
          { fromMs: start, count: 2 },
          { fromMs: start + hourMs, count: 1 },
          { fromMs: start + 5 * hourMs, count: 1 },
        ],
        countedFromMs: start,
      });
      expect(count("comet", { bucketMs: dayMs }).buckets).toEqual([{ fromMs: start, count: 4 }]);
      expect(count("-comet").buckets).toEqual([{ fromMs: start + 2 * hourMs, count: 1 }]);
      expect(count("nothing").buckets).toEqual([]);
    });

    test("counts limit the first and the last bucket to the bounds, to the millisecond", () => {
      storeInSegmentAs(
        archive,
        [...[0, 1, hourMs - 1, hourMs, 2 * hourMs - 1, 2 * hourMs].map((ms) => at(start + ms))],
        form,
      );
      const window = { fromMs: start + 1, toMs: start + 2 * hourMs - 1 };
      expect(count("-nothing", window).buckets).toEqual([
        { fromMs: start + 1, count: 2 },
        { fromMs: start + hourMs, count: 1 },
      ]);
      const innerWindow = { fromMs: start + 1, toMs: start + hourMs - 1 };
      expect(count("-nothing", innerWindow).buckets).toEqual([{ fromMs: start + 1, count: 1 }]);
      expect(count("-nothing", { fromMs: start, toMs: start }).buckets).toEqual([]);
    });

    test("counts narrow the window by bounds in the query without moving the buckets", () => {
      storeInSegmentAs(
        archive,
        [at(start + 10), at(start + 45 * 60_000), at(start + hourMs)],
        form,
      );
      const answer = count(
        `since_time:${start / 1_000 + 1_800} until_time:${start / 1_000 + 7_200}`,
      );
      expect(answer.buckets).toEqual([
        { fromMs: start, count: 1 },
        { fromMs: start + hourMs, count: 1 },
      ]);
      expect(answer.countedFromMs).toBe(start);
    });

    test("counts use the posts' times where the skew of their IDs spans a boundary", () => {
      storeInSegmentAs(
        archive,
        [
          skewed(start + hourMs - 1, start + hourMs + 300),
          skewed(start + hourMs + 200, start + hourMs + 700),
          skewed(start - 100, start + 400),
          skewed(start + dayMs - 200, start + dayMs + 900),
          skewed(start + dayMs + 1, start + dayMs + 2),
        ],
        form,
      );
      expect(count("-nothing").buckets).toEqual([
        { fromMs: start, count: 1 },
        { fromMs: start + hourMs, count: 1 },
        { fromMs: start + dayMs - hourMs, count: 1 },
      ]);
    });

    test("counts use the posts' times for IDs without a time and before 1970", () => {
      const early = (id: bigint, ms: number) =>
        at(ms, { platform: "x", nativeId: id, uri: `https://x.com/i/status/${id}` });
      const first = Date.UTC(2006, 2, 21);
      storeInSegmentAs(
        archive,
        [early(20n, first), early(29n, first + hourMs), at(Date.UTC(1969, 11, 31, 23, 30))],
        form,
      );
      expect(count("-nothing", { fromMs: first, toMs: first + dayMs }).buckets).toEqual([
        { fromMs: first, count: 1 },
        { fromMs: first + hourMs, count: 1 },
      ]);
      expect(count("-nothing", { fromMs: -dayMs, toMs: dayMs }).buckets).toEqual([
        { fromMs: -hourMs, count: 1 },
      ]);
    });

    test("counts check rows where the index is inexact", () => {
      const likes = (n: number) => ({ counts: { likes: n, reposts: 0, replies: 0, quotes: 0 } });
      storeInSegmentAs(
        archive,
        [...[10, 49, 50, 99].map((n, hour) => at(start + hour * hourMs, likes(n)))],
        form,
      );
      expect(count("min_faves:50").buckets).toEqual([
        { fromMs: start + 2 * hourMs, count: 1 },
        { fromMs: start + 3 * hourMs, count: 1 },
      ]);
    });

    test("counts omit hidden posts, even if they were counted and cached before", () => {
      const [mine, other] = [
        at(start, { userId: "did:plc:me" }),
        at(start, { userId: "did:plc:you" }),
      ];
      storeInSegmentAs(archive, [mine, other], form);
      expect(total(count("-nothing"))).toBe(2);
      const account = { kind: "account", platform: "bluesky", userId: "did:plc:me" } as const;
      archive.write([{ ...account, status: "deactivated", observedMs: 1 }]);
      expect(total(count("-nothing"))).toBe(1);
      expect(total(count("-nothing min_faves:0 OR max_id:9223372036854775807"))).toBe(1);
      archive.write([{ ...account, status: "active", observedMs: 2 }]);
      expect(total(count("-nothing"))).toBe(2);
    });

    test("counts read every row of segments with another analyzer version", () => {
      storeInSegmentAs(
        archive,
        [at(start, { text: "comet" }), at(start + hourMs, { text: "aurora" })],
        form,
      );
      const catalog = new DatabaseSync(catalogPath(archive.folder));
      catalog.exec("UPDATE segment SET analyzer = '0'");
      updateCatalogChecksums(catalog);
      catalog.close();
      const path = join(archive.folder, "bluesky", "000001.db");
      const segment = new DatabaseSync(path, { defensive: false });
      segment.exec("DELETE FROM term_data WHERE id > 10");
      segment.close();
      expect(count("comet").buckets).toEqual([{ fromMs: start, count: 1 }]);
      expect(total(count("-nothing"))).toBe(2);
    });

    test("counts cover several platforms, or a single one", () => {
      storeInSegmentAs(
        archive,
        [at(start), at(start, { platform: "mastodon" }), skewed(start, start)],
        form,
      );
      expect(count("-nothing").buckets).toEqual([{ fromMs: start, count: 3 }]);
      expect(count("-nothing", { platforms: ["x"] }).buckets).toEqual([
        { fromMs: start, count: 1 },
      ]);
    });
  });

  describe("the work of a count", () => {
    test("a count opens no segments outside the window", () => {
      storeInSegmentAs(archive, [...quarters(45)], form);
      const { work } = count("-nothing", { fromMs: start + 6 * hourMs, toMs: start + 7 * hourMs });
      expect(work).toEqual({
        segmentsInWindow: 1,
        segmentsCached: 0,
        segmentsOpened: 1,
        slices: 1,
        statements: 1,
      });
    });

    test("a repeated count runs no statements, or only those of a segment that has changed", () => {
      storeInSegmentAs(archive, [...quarters(45)], form);
      const fresh = count("-nothing");
      expect(fresh.work).toMatchObject({ segmentsInWindow: 5, segmentsOpened: 5, statements: 5 });

      const repeatedCounts = count("-nothing");
      expect(repeatedCounts.buckets).toEqual(fresh.buckets);
      expect(repeatedCounts.work).toMatchObject({
        segmentsCached: 5,
        segmentsOpened: 0,
        statements: 0,
      });

      archive.put(at(start + 3 * hourMs + 1));
      const newCounts = count("-nothing");
      expect(total(newCounts)).toBe(46);
      const statements = form === "sealed" ? 2 : 1;
      expect(newCounts.work).toMatchObject({ segmentsCached: 4, segmentsOpened: 1, statements });
      expect(count("river").work).toMatchObject({ segmentsCached: 0, segmentsOpened: 5 });
    });

    test("a repeated count of a moved window counts only the new part and the ends", () => {
      storeInSegmentAs(archive, [...quarters(45)], form);
      const shiftWindow = (ms: number) => ({ fromMs: start + ms, toMs: start + 8 * hourMs + ms });
      expect(count("-nothing", shiftWindow(0)).work.statements).toBeGreaterThan(3);
      expect(count("-nothing", shiftWindow(hourMs)).work.statements).toBe(1);
      const moved = count("-nothing", shiftWindow(hourMs + 60_000));
      expect(moved.work.statements).toBe(2);
      expect(total(moved)).toBe(32);
      expect(count("-nothing", shiftWindow(hourMs + 60_000)).work.statements).toBe(0);
      expect(count("-nothing", shiftWindow(30 * 60_000)).work.statements).toBe(2);
    });

    test("a repeated count includes deletions and edits in a segment counted before", () => {
      const [removed, other] = [
        at(start, { revision: "1" }),
        at(start + hourMs, { revision: "1" }),
      ];
      storeInSegmentAs(archive, [removed, other], form);
      expect(total(count("-nothing"))).toBe(2);
      archive.write([
        { kind: "delete", platform: removed.platform, uri: removed.uri, revision: "2" },
      ]);
      expect(count("-nothing").buckets).toEqual([{ fromMs: start + hourMs, count: 1 }]);
      storeInSegmentAs(archive, [{ ...other, text: "comet", revision: "2" }], form);
      expect(total(count("-comet"))).toBe(0);
    });
  });

  describe("the deadline of a count", () => {
    test("at the deadline, counts are complete from the reported time on, and a repeated request reuses them", () => {
      storeInSegmentAs(archive, [...quarters(45)], form);
      times = [0, 0, 1, 100, 100];
      const partialCounts = count("-nothing", { deadlineMs: 100 });
      expect(partialCounts.countedFromMs).toBeGreaterThan(start);
      expect(partialCounts.countedFromMs % hourMs).toBe(0);
      expect(
        partialCounts.buckets.every(({ fromMs }) => fromMs >= partialCounts.countedFromMs),
      ).toBe(true);
      times = [0];
      const fullCounts = count("-nothing");
      expect(partialCounts.buckets).toEqual(
        fullCounts.buckets.filter(({ fromMs }) => fromMs >= partialCounts.countedFromMs),
      );
      expect(partialCounts.buckets.length).toBeGreaterThan(0);
      expect(fullCounts.work.segmentsCached).toBeGreaterThan(0);
    });

    test("at the deadline, counts omit buckets that an unvisited segment of another platform may fill", () => {
      storeInSegmentAs(archive, [...quarters(45)], form);
      storeInSegmentAs(
        archive,
        [...quarters(45).map((post) => ({ ...post, platform: "mastodon" as const }))],
        form,
      );
      times = [0, 0, 0, 100];
      const partialCounts = count("-nothing", { deadlineMs: 100 });
      times = [0];
      const fullCounts = count("-nothing");
      expect(partialCounts.buckets).toEqual(
        fullCounts.buckets.filter(({ fromMs }) => fromMs >= partialCounts.countedFromMs),
      );
      expect(partialCounts.countedFromMs).toBeGreaterThan(start);
    });

    test("counts are exact whenever the deadline is reached, even if IDs and times differ widely", () => {
      const later = (n: number) => start + 10 * hourMs + n * 600_000;
      const posts = Array.from({ length: 24 }, (_, n) => n);
      storeInSegmentAs(
        archive,
        [
          ...posts.slice(0, 9).map((n) => skewed(start + hourMs + n * 7, start + hourMs + n * 7)),
          skewed(start + 20 * hourMs, start + 2 * hourMs),
        ],
        form,
      );
      storeInSegmentAs(archive, [...posts.map((n) => skewed(later(n), later(n)))], form);
      storeInSegmentAs(archive, [...posts.map((n) => at(later(n) + 1))], form);
      const fullCounts = count("-nothing");
      expect(total(fullCounts)).toBe(58);
      const reached = new Set<number>();
      for (let deadlineMs = 0; deadlineMs < 30; deadlineMs++) {
        archive.reopen();
        times = Array.from({ length: 100 }, (_, ms) => ms);
        const partialCounts = count("-nothing", { deadlineMs });
        reached.add(partialCounts.countedFromMs);
        expect(partialCounts.buckets, `deadline ${deadlineMs}`).toEqual(
          fullCounts.buckets.filter(({ fromMs }) => fromMs >= partialCounts.countedFromMs),
        );
      }
      expect(reached).toContain(start);
      expect(reached.size).toBeGreaterThan(2);
    });

    test("counts of a newer and an older span are not joined if the deadline left a gap between them", () => {
      archive.remove();
      archive = smallArchive(1_000, () => (times.length > 1 ? times.shift() : times[0]) ?? 0);
      const counts = { likes: 7, reposts: 0, replies: 0, quotes: 0 };
      storeInSegmentAs(archive, [...quarters(900).map((post) => ({ ...post, counts }))], form);
      expect(total(count("min_faves:5", { toMs: start + 20 * hourMs }))).toBe(80);
      const window = { toMs: start + 225 * hourMs, deadlineMs: 100 };
      times = [0, 0, 100];
      expect(count("min_faves:5", window).countedFromMs).toBeGreaterThan(start + 20 * hourMs);
      times = [0];
      expect(total(count("min_faves:5", window))).toBe(900);
    });

    test("platforms with the same span share the time until the deadline, so that both are counted", () => {
      archive.remove();
      archive = smallArchive(1_000, () => times.shift() ?? Number.POSITIVE_INFINITY);
      const counts = { likes: 7, reposts: 0, replies: 0, quotes: 0 };
      const blueskyPosts = quarters(600).map((post) => ({ ...post, counts }));
      storeInSegmentAs(
        archive,
        [
          ...blueskyPosts,
          ...blueskyPosts.map((post) => ({ ...post, platform: "mastodon" as const })),
        ],
        form,
      );
      times = Array.from({ length: 100 }, (_, ms) => ms);
      const toMs = start + 150 * hourMs;
      const partialCounts = count("min_faves:5", { toMs, deadlineMs: 6 });
      expect(partialCounts.countedFromMs).toBeLessThan(toMs);
      expect(partialCounts.countedFromMs).toBeGreaterThan(start);
      expect(partialCounts.buckets.every((bucket) => bucket.count === 8)).toBe(true);
    });

    test("the deadline is also checked within a segment, and retries complete the count", () => {
      archive.remove();
      archive = smallArchive(1_000, () => (times.length > 1 ? times.shift() : times[0]) ?? 0);
      const counts = { likes: 7, reposts: 0, replies: 0, quotes: 0 };
      storeInSegmentAs(archive, [...quarters(900).map((post) => ({ ...post, counts }))], form);
      const window = { toMs: start + 900 * hourMs, deadlineMs: 100 };
      const reached: number[] = [];
      for (let tries = 0; reached.at(-1) !== start; tries++) {
        expect(tries).toBeLessThan(10);
        times = [0, 0, 100];
        reached.push(count("min_faves:5", window).countedFromMs);
      }
      expect(reached.length).toBeGreaterThan(3);
      expect(reached).toEqual(reached.toSorted((a, b) => b - a));
      times = [0];
      const fullCounts = count("min_faves:5", window);
      expect(total(fullCounts)).toBe(900);
      expect(fullCounts.work.statements).toBe(0);
    });
  });

  test("counts of the same posts are sent to one reader, which caches them", async () => {
    storeInSegmentAs(archive, [...quarters(25)], form);
    const threadedArchive = await openArchive({
      dataDir: dirname(archive.folder),
      readers: 3,
      segmentPosts: 10,
      detectLanguage: "off",
      clock: systemClock,
    });
    try {
      const request: CountRequest = {
        plan: { kind: "all" },
        platforms: ["bluesky"],
        fromMs: start,
        toMs: start + dayMs,
        bucketMs: hourMs,
        deadlineMs: Number.POSITIVE_INFINITY,
      };
      const first = await threadedArchive.count(request);
      expect(total(first)).toBe(25);
      const repeatedCounts = await Promise.all([
        threadedArchive.count(request),
        threadedArchive.count(request),
      ]);
      for (const { work, buckets } of repeatedCounts) {
        expect(work).toMatchObject({ segmentsCached: 3, statements: 0 });
        expect(buckets).toEqual(first.buckets);
      }
      await expect(threadedArchive.count(request, AbortSignal.abort())).rejects.toThrow();
    } finally {
      await threadedArchive.close();
    }
  });
});
