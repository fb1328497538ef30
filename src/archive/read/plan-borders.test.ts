import type { PlanNode } from "@earshot/query/plan";
import { afterEach, describe, expect, test } from "vitest";
import { storedForms, storeInSegmentAs } from "../../../testkit/archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Post } from "../../posts/post.ts";
import type { Position, SearchRequest } from "../archive.ts";

describe.each(storedForms)("posts found by %s", (form) => {
  let archive: SmallArchive;
  afterEach(() => archive.remove());

  const start = Date.UTC(2026, 0, 1);
  const dayMs = 86_400_000;
  const everything: PlanNode = { kind: "all" };

  function fill(days: number, stepMs = dayMs): void {
    archive = smallArchive(3);
    storeInSegmentAs(
      archive,
      [
        ...Array.from({ length: days }, (_, n) =>
          makePost({ key: `k${n}`, createdMs: start + n * stepMs, text: `day ${n + 1}` }),
        ),
      ],
      form,
    );
  }

  const allIds = (): bigint[] =>
    archive
      .search({ plan: everything })
      .positions.map(({ id }) => id)
      .reverse();

  function request(query: string, request: Partial<SearchRequest> = {}) {
    const { positions, work } = archive.query(query, request);
    const days = archive.records(positions).map(({ Content }) => Number(Content.slice(4)));
    return { days: days.reverse(), opened: work.segmentsOpened };
  }

  describe("since_id: and max_id: at segment boundaries", () => {
    test("since_id: is exclusive and max_id: is inclusive at the first and last ID of a segment", () => {
      fill(10);
      const ids = allIds();
      const [first, second, last] = [ids[3], ids[4], ids[5]];
      expect(request(`since_id:${first} max_id:${last}`)).toEqual({ days: [5, 6], opened: 1 });
      expect(request(`since_id:${last}`)).toEqual({ days: [7, 8, 9, 10], opened: 3 });
      expect(request(`max_id:${first}`)).toEqual({ days: [1, 2, 3, 4], opened: 2 });
      expect(request(`max_id:${last}`)).toEqual({ days: [1, 2, 3, 4, 5, 6], opened: 2 });
      expect(request(`since_id:${second} max_id:${second}`)).toEqual({ days: [], opened: 0 });
      expect(request(`since_id:${ids[9]}`).days).toEqual([]);
      expect(request(`max_id:${ids[9]}`).days).toHaveLength(10);
    });

    test("max_id: one below the first ID of a segment excludes the segment", () => {
      fill(9);
      const [first = 0n] = allIds().slice(3, 4);
      expect(request(`since_id:${first - 1n} max_id:${first}`).days).toEqual([4]);
      expect(request(`max_id:${first - 1n}`).days).toEqual([1, 2, 3]);
    });

    test("since_id: and max_id: are exact when negated and in alternatives", () => {
      fill(9);
      const ids = allIds();
      expect(request(`-since_id:${ids[5]}`)).toEqual({ days: [1, 2, 3, 4, 5, 6], opened: 2 });
      expect(request(`-max_id:${ids[5]}`).days).toEqual([7, 8, 9]);
      expect(request(`since_id:${ids[7]} OR max_id:${ids[0]}`).days).toEqual([1, 9]);
      expect(request(`-(since_id:${ids[1]} max_id:${ids[7]})`).days).toEqual([1, 2, 9]);
      expect(request(`since_id:${ids[7]} max_id:${ids[1]}`)).toEqual({ days: [], opened: 0 });
    });

    test("since_id: and max_id: are exact at both ends of the ID space", () => {
      fill(3);
      expect(request("since_id:0").days).toHaveLength(3);
      expect(request("max_id:0").days).toEqual([]);
      expect(request("max_id:9223372036854775807").days).toHaveLength(3);
      expect(request("since_id:9223372036854775807")).toEqual({ days: [], opened: 0 });
      expect(request("-since_id:9223372036854775807").days).toHaveLength(3);
    });

    test("since_id: and max_id: are exact among X's first IDs, which contain no time", () => {
      const onX = { platform: "x", userId: null, username: "jack", seenMs: null } as const;
      archive = smallArchive(2);
      const early: Partial<Post>[] = [
        { nativeId: 20n, createdMs: Date.UTC(2006, 2, 21), text: "day 1" },
        { nativeId: 29n, createdMs: Date.UTC(2006, 2, 22), text: "day 2" },
        { nativeId: 1_157_939_227_653_046_272n, createdMs: Date.UTC(2019, 7, 4), text: "day 3" },
      ];
      storeInSegmentAs(archive, [...early.map((post) => makePost({ ...onX, ...post }))], form);
      expect(request("since_id:19 max_id:20").days).toEqual([1]);
      expect(request("since_id:20").days).toEqual([2, 3]);
      expect(request("-since_id:20").days).toEqual([1]);
      expect(request("max_id:29 since:2006-03-22").days).toEqual([2]);
      expect(request("until:2006-03-22").days).toEqual([1]);
    });
  });

  describe("the window of a search", () => {
    test("a window that ends at a segment boundary excludes the next segment, which is not opened", () => {
      fill(10, 1);
      expect(request("day", { toMs: start + 3 })).toEqual({ days: [1, 2, 3], opened: 1 });
      expect(request("day", { toMs: start + 4 })).toEqual({ days: [1, 2, 3, 4], opened: 2 });
      expect(request("day", { fromMs: start + 3, toMs: start + 6 })).toEqual({
        days: [4, 5, 6],
        opened: 1,
      });
      expect(request("day", { fromMs: start + 9 })).toEqual({ days: [10], opened: 1 });
    });

    test("since: includes its day, until: excludes it, and -until: matches the same days as since:", () => {
      fill(10);
      expect(request("until:2026-01-04").days).toEqual([1, 2, 3]);
      expect(request("since:2026-01-04").days).toEqual([4, 5, 6, 7, 8, 9, 10]);
      expect(request("-until:2026-01-04").days).toEqual([4, 5, 6, 7, 8, 9, 10]);
    });

    test("a window within one old segment opens only that segment", () => {
      fill(30);
      expect(request("since:2026-01-04 until:2026-01-06")).toEqual({ days: [4, 5], opened: 1 });
      expect(request("day since:2026-01-05 until:2026-01-06")).toEqual({ days: [5], opened: 1 });
    });
  });

  describe("the platform: operator", () => {
    function storeTwoPlatforms(): void {
      archive = smallArchive(3);
      storeInSegmentAs(
        archive,
        [
          ...Array.from({ length: 18 }, (_, n) =>
            makePost({
              platform: n % 2 === 0 ? "mastodon" : "bluesky",
              uri: `uri:${n}`,
              createdMs: start + n * dayMs,
              text: `day ${n + 1}`,
            }),
          ),
        ],
        form,
      );
    }

    test("platform: opens the segments of that platform only", () => {
      storeTwoPlatforms();
      const all = request("day").opened;
      const blue = request("platform:bluesky");
      expect(blue.days).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18]);
      expect(blue.opened).toBeLessThan(all);
      expect(request("-platform:mastodon")).toEqual(blue);
      expect(request("-platform:mastodon -platform:x day")).toEqual(blue);
      expect(request("platform:x")).toEqual({ days: [], opened: 0 });
      expect(request("platform:bluesky platform:mastodon")).toEqual({ days: [], opened: 0 });
      expect(request("platform:bluesky", { platforms: ["x"] })).toEqual({ days: [], opened: 0 });
    });

    test("platform: in an alternative restricts only that alternative", () => {
      storeTwoPlatforms();
      expect(request("platform:bluesky OR until:2026-01-02").days).toEqual([
        1, 2, 4, 6, 8, 10, 12, 14, 16, 18,
      ]);
      const { work } = archive.query("platform:bluesky OR (until:2026-01-02 platform:mastodon)");
      expect(work).toMatchObject({ candidates: 18, rechecked: 9, returned: 10 });
    });
  });

  describe("limit", () => {
    const newest = (limit: number, after: Position | null = null) => {
      const { positions, next, work } = archive.search({ plan: everything, limit, after });
      const days = archive.records(positions).map(({ Content }) => Number(Content.slice(4)));
      return { days, next, opened: work.segmentsOpened };
    };

    test("a limit reached exactly at a boundary reads the next segment only to check for more posts", () => {
      fill(11);
      const first = newest(5);
      expect(first).toMatchObject({ days: [11, 10, 9, 8, 7], opened: 3 });
      expect(newest(3, first.next)).toMatchObject({ days: [6, 5, 4], opened: 3 });
      expect(newest(4)).toMatchObject({ days: [11, 10, 9, 8], opened: 2 });
      expect(newest(11)).toMatchObject({ next: null, opened: 4 });
    });

    test("a limit that spans three segments returns their posts in order without opening a fourth", () => {
      fill(29);
      expect(newest(7)).toMatchObject({ days: [29, 28, 27, 26, 25, 24, 23], opened: 3 });
    });

    test("a limit reached by newer posts skips older segments, except the newest segment of each platform", () => {
      archive = smallArchive(3);
      const days = Array.from({ length: 9 }, (_, n) => n);
      storeInSegmentAs(
        archive,
        [
          ...days.map((n) => makePost({ key: `k${n}`, createdMs: start + (n + 100) * dayMs })),
          ...days.map((n) =>
            makePost({ platform: "mastodon", uri: `m:${n}`, createdMs: start + n * dayMs }),
          ),
        ],
        form,
      );
      const { positions, work } = archive.search({
        plan: everything,
        limit: 5,
        maxListedSegments: 10,
      });
      expect(positions.every(({ platform }) => platform === "bluesky")).toBe(true);
      const opened = work.segments.filter(({ platform }) => platform === "mastodon");
      // Sealing gives each segment the next sequence number.
      expect(opened.map(({ sequence }) => sequence)).toEqual([form === "sealed" ? 8 : 4]);
    });
  });

  test("paging neither returns a post that was deleted between two pages nor skips another post", () => {
    fill(9);
    const first = archive.search({ plan: everything, limit: 4 });
    const removedPost = makePost({ key: "k4" });
    archive.write([{ kind: "delete", platform: "bluesky", uri: removedPost.uri, revision: "3z" }]);
    const second = archive.search({ plan: everything, limit: 4, after: first.next });
    expect(archive.records(second.positions).map(({ Content }) => Content)).toEqual([
      "day 4",
      "day 3",
      "day 2",
      "day 1",
    ]);
    const last = first.positions.at(-1);
    const uri = archive.records(last === undefined ? [] : [last])[0]?.Metadata.uri ?? "";
    archive.write([{ kind: "delete", platform: "bluesky", uri, revision: "3z" }]);
    const repeatedPage = archive.search({ plan: everything, limit: 4, after: first.next });
    expect(repeatedPage.positions).toEqual(second.positions);
  });

  test("at the deadline, a search returns an incomplete answer with a cursor for the rest", () => {
    let nowMs = 0;
    archive = smallArchive(3, () => nowMs++);
    storeInSegmentAs(
      archive,
      [
        ...Array.from({ length: 12 }, (_, n) =>
          makePost({ key: `k${n}`, createdMs: start + n * dayMs, text: `day ${n + 1}` }),
        ),
      ],
      form,
    );
    const first = archive.search({ plan: everything, limit: 50, deadlineMs: 3 });
    expect(first.complete).toBe(false);
    expect(first.positions.length).toBeGreaterThan(0);
    expect(first.positions.length).toBeLessThan(12);
    expect(first.next).not.toBeNull();
    const nextPage = archive.search({ plan: everything, limit: 50, after: first.next });
    expect(nextPage.complete).toBe(true);
    const days = archive
      .records([...first.positions, ...nextPage.positions])
      .map(({ Content }) => Content);
    expect(new Set(days).size).toBe(12);
  });
});
