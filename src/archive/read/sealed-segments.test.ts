import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { PlanNode } from "@earshot/query/plan";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { damageTablePage } from "../../../testkit/archives/damage-page.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { lastId, lowestId, xUri } from "../../posts/ids.ts";
import type { AccountStatus, ArchiveChange, Position } from "../archive.ts";
import { catalogPath, readSegments, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { findSplitIds, nthIdReader } from "../compaction/cuts.ts";
import { openForReading } from "../database.ts";
import { findPosts } from "../maintenance/find-posts.ts";
import { type ChunkSet, countBetween } from "../sealed/chunk-set.ts";
import { readDeletionBitmap } from "../sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../sealed/doc-numbers.ts";
import { damageMarkerPath, markDamaged } from "../segments/integrity.ts";
import { openSegment, type Segment } from "../segments/segment.ts";
import { openSegmentWriter } from "../segments/segment-writer.ts";
import { platformQuery } from "./platform-query.ts";

const start = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const alice = "did:plc:alice";
const never = (): boolean => false;
let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(1_000);
});
afterEach(() => archive.remove());

const post = (n: number, text = "a river") =>
  makePost({ key: `k${n}`, createdMs: start + n * minuteMs, text });

const putAll = (count: number, text?: (n: number) => string): void => {
  archive.put(...Array.from({ length: count }, (_, n) => post(n, text?.(n))));
};

const deletion = (n: number): ArchiveChange => {
  const { platform, uri } = post(n);
  return { kind: "delete", platform, uri, revision: "" };
};

function entries(): SegmentEntry[] {
  const catalog = openForReading(catalogPath(archive.folder), 100);
  try {
    return readSegments(catalog);
  } finally {
    catalog.close();
  }
}

const entryPath = (entry: SegmentEntry): string => segmentPath(archive.folder, entry);
const onlyPath = (): string => entries().map(entryPath)[0] ?? "";

const found = (query: string, limit = 100): number[] =>
  minutesOf(archive.query(query, { limit }).positions);
const minutesOf = (positions: readonly Position[]): number[] =>
  archive.records(positions).map(({ Metadata }) => Number(/k(\d+)$/.exec(Metadata.uri)?.[1]));

const planCount = (plan: PlanNode): number =>
  archive.reader.operations
    .count({
      plan,
      platforms: ["bluesky"],
      fromMs: start,
      toMs: start + 1_000 * minuteMs,
      bucketMs: 7 * minuteMs,
      deadlineMs: Number.POSITIVE_INFINITY,
    })
    .buckets.reduce((sum, { count }) => sum + count, 0);

const word = (token: string): PlanNode => ({
  kind: "terms",
  elements: [{ kind: "token", token }],
});

describe("the work of a search", () => {
  test("searching a sealed segment for a word takes one statement, one container and no row", () => {
    putAll(120);
    archive.seal();
    const { work } = archive.query("river", { limit: 20 });
    expect(work).toMatchObject({ statements: 1, containers: 1, candidates: 21, rechecked: 0 });
  });

  test("searching a sealed segment for several words takes one container per word, including excluded words", () => {
    putAll(120, (n) => (n % 2 === 0 ? "a river" : "a river and a brook"));
    archive.seal();
    expect(archive.query("river and", { limit: 20 }).work.containers).toBe(2);
    expect(archive.query("river -brook", { limit: 20 }).work.containers).toBe(2);
  });

  test("searching for a missing word takes no statement in a known segment until a post with that word is written", () => {
    putAll(120);
    archive.seal();
    const statements = (query: string): number =>
      archive.query(query, { limit: 20 }).work.statements;
    expect(statements("brook")).toBe(1);
    expect(statements("brook")).toBe(0);
    expect(statements("heron")).toBe(0);
    expect(statements('"river heron" lang:fr')).toBe(0);
    expect(statements("river brook")).toBe(0);
    expect(statements("river -brook")).toBe(1);
    expect(found("brook OR river", 2)).toEqual([119, 118]);
    archive.put(post(60, "a brook"));
    expect(found("brook")).toEqual([60]);
  });

  test("FTS5 is queried once more if the sealed segment has later posts", () => {
    putAll(120);
    archive.seal();
    archive.put(post(119, "a brook"));
    const { work } = archive.query("river", { limit: 20 });
    expect(work).toMatchObject({ statements: 2, candidates: 21, rechecked: 0 });
  });

  test("inexact conditions are checked for no more candidates than needed", () => {
    putAll(120);
    archive.seal();
    const { work } = archive.query('"a * river" OR river', { limit: 20 });
    expect(work).toMatchObject({ returned: 20, candidates: 21, rechecked: 21 });
  });

  test("counting in a sealed segment takes one statement", () => {
    putAll(120);
    archive.seal();
    const { work } = archive.reader.operations.count({
      plan: word("river"),
      platforms: ["bluesky"],
      fromMs: start,
      toMs: start + 120 * minuteMs,
      bucketMs: minuteMs,
      deadlineMs: Number.POSITIVE_INFINITY,
    });
    expect(work).toMatchObject({ segmentsOpened: 1, statements: 1 });
  });
});

describe("writes after sealing", () => {
  test("searches after sealing reflect edits, deletions, late posts and restored posts", () => {
    putAll(10);
    archive.write([deletion(7)]);
    archive.seal();
    archive.put(post(1, "a brook"), post(3, "a river, wider"), post(11));
    archive.write([deletion(5), deletion(9)]);
    archive.write([{ kind: "upsert", post: { ...post(9), revision: "2" } }]);
    expect(found("river")).toEqual([11, 9, 8, 6, 4, 3, 2, 0]);
    expect(found("brook")).toEqual([1]);
    expect(found("-wider", 4)).toEqual([11, 9, 8, 6]);
    expect(planCount(word("river"))).toBe(8);
  });

  test("a post deleted and restored after sealing is found once, by its current text", () => {
    putAll(3);
    archive.seal();
    archive.write([{ kind: "delete", platform: "bluesky", uri: post(1).uri, revision: "1" }]);
    expect(found("river")).toEqual([2, 0]);
    archive.put({ ...post(1, "a brook"), revision: "2" });
    expect(found("river")).toEqual([2, 0]);
    expect(found("brook")).toEqual([1]);
    archive.seal();
    expect(found("river OR brook")).toEqual([2, 1, 0]);
  });

  test("a transaction rolled back after sealing changes nothing", () => {
    putAll(3);
    archive.seal();
    const writer = openSegmentWriter(onlyPath(), "bluesky", 1_000);
    writer.begin(false, 1);
    const [first] = writer.idsWith("is:post");
    writer.remove(first ?? 0n, null);
    writer.rollback();
    writer.begin(false, 1);
    writer.commit();
    expect(found("river")).toEqual([2, 1, 0]);
    archive.put(post(3, "a brook"));
    expect(writer.idsWith("is:post")).toHaveLength(4);
    writer.close();
    expect(found("river")).toEqual([2, 1, 0]);
  });
});

describe("every post is in exactly one of the two indexes", () => {
  type ChangeKind =
    | "edit"
    | "delete"
    | "restore"
    | "like"
    | "label"
    | "suspend"
    | "reinstate"
    | "late";
  const changeKinds = fc.constantFrom<ChangeKind>(
    ...(["edit", "delete", "restore", "like", "label", "suspend", "reinstate", "late"] as const),
  );
  const history = fc.array(fc.tuple(changeKinds, fc.integer({ min: 0, max: 9 })), {
    maxLength: 25,
  });

  function change(kind: ChangeKind, n: number, atMs: number): ArchiveChange {
    const { platform, uri } = post(n);
    const revision = String(atMs).padStart(9, "0");
    switch (kind) {
      case "edit":
      case "restore":
        return { kind: "upsert", post: { ...post(n, `a brook ${atMs}`), revision } };
      case "late":
        return { kind: "upsert", post: post(n + 100 + atMs) };
      case "delete":
        return { kind: "delete", platform, uri, revision };
      case "like":
        return { kind: "count", platform, uri, metric: "likes", increment: 7 };
      case "label": {
        const label = { subject: uri, source: alice, value: "spam", negated: atMs % 2 === 0 };
        return { kind: "label", platform, ...label, createdMs: atMs, expiresMs: null };
      }
      case "suspend":
      case "reinstate": {
        const status = kind === "suspend" ? "suspended" : "active";
        const userId = "did:plc:author";
        return { kind: "account", platform, userId, status, observedMs: atMs };
      }
    }
  }

  test("after any changes, every post is in exactly one of the two indexes", () => {
    const property = fc.property(history, (changes) => {
      archive.remove();
      archive = smallArchive(1_000);
      putAll(10);
      archive.seal();
      for (const [step, [kind, n]] of changes.entries()) {
        archive.write([change(kind, n, step + 1)]);
        if (kind === "like") archive.addCounts();
      }
      expectInOneIndex(onlyPath());
    });
    fc.assert(property, {
      numRuns: 4,
      examples: [
        [
          [
            ["delete", 3],
            ["restore", 3],
            ["suspend", 0],
            ["delete", 3],
            ["edit", 4],
          ],
        ],
        [
          [
            ["suspend", 0],
            ["edit", 2],
            ["reinstate", 0],
            ["like", 2],
            ["like", 5],
            ["like", 5],
          ],
        ],
        [
          [
            ["label", 1],
            ["label", 1],
            ["late", 1],
            ["suspend", 0],
            ["late", 2],
          ],
        ],
      ],
    });
  });
});

function expectInOneIndex(path: string): void {
  const database = openForReading(path, 1_000);
  const idsIn = (table: string): Set<bigint> => {
    const statement = database.prepare(`SELECT id FROM ${table}`);
    statement.setReadBigInts(true);
    return new Set(statement.all().map(({ id }) => id as bigint));
  };
  const stored = idsIn("post");
  const written = idsIn("term_docsize");
  const hidden = idsIn("hidden");
  const numbers = openDocNumbers(database, path, null);
  const deletions = readDeletionBitmap(database);
  const sealed = new Set<bigint>();
  const has = (set: ChunkSet | null, number: number): boolean =>
    set !== null && countBetween(set, number, number + 1) === 1;
  for (let number = 0; number < numbers.posts; number++) {
    const id = numbers.idAt(number);
    const isReplaced = has(deletions.replacedSet(0), number);
    expect(isReplaced).toBe(!stored.has(id) || written.has(id));
    expect(has(deletions.omittedSet(0), number)).toBe(isReplaced || hidden.has(id));
    if (!isReplaced) sealed.add(id);
  }
  expect(sealed.size + written.size).toBe(stored.size);
  for (const id of written) expect(stored.has(id)).toBe(true);
  database.close();
}

describe("hidden posts", () => {
  const status = (status: AccountStatus, observedMs: number): ArchiveChange => ({
    kind: "account",
    platform: "bluesky",
    userId: "did:plc:author",
    status,
    observedMs,
  });

  test("hidden posts of an account suspended after sealing are found once it is reinstated", () => {
    putAll(10);
    archive.seal();
    archive.put(post(4, "a river, wider"));
    archive.write([status("suspended", 1)]);
    expect(found("river")).toEqual([]);
    expect(planCount(word("river"))).toBe(0);
    archive.write([status("active", 2)]);
    expect(found("river")).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(planCount(word("river"))).toBe(10);
  });

  test("hidden posts stay hidden when sealed, and can be shown again", () => {
    putAll(10);
    archive.write([status("suspended", 1)]);
    archive.seal();
    expect(found("river")).toEqual([]);
    archive.write([status("active", 2)]);
    expect(found("river")).toHaveLength(10);
  });

  test("hidden posts are removed when their account is deleted", () => {
    putAll(10);
    archive.seal();
    archive.write([status("suspended", 1)]);
    archive.write([status("deleted", start + 5 * minuteMs)]);
    archive.write([status("active", start + 6 * minuteMs)]);
    expect(found("river")).toEqual([9, 8, 7, 6]);
  });

  test("hidden posts are included in a list of all posts", () => {
    putAll(10);
    archive.seal();
    archive.put(post(4, "a brook"));
    archive.write([deletion(5), status("suspended", 1)]);
    const catalog = openForReading(catalogPath(archive.folder), 100);
    const all = [...findPosts(archive.folder, catalog, word("is:post"), ["bluesky"])].flat();
    const riverPosts = [...findPosts(archive.folder, catalog, word("river"), ["bluesky"])].flat();
    catalog.close();
    expect(all).toHaveLength(9);
    expect(riverPosts.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([post(0).uri, post(9).uri]),
    );
    expect(riverPosts).toHaveLength(8);
  });
});

describe("the deadline of a search", () => {
  const ranged = { low: 0n, high: lastId };
  const query = (plan: PlanNode) => {
    const boundedQuery = platformQuery("bluesky", { ...unbounded, conjuncts: [plan] });
    if (boundedQuery === null) throw new Error("the query matches no post");
    return { ...boundedQuery, skew: { minMs: 0, maxMs: 0 } };
  };
  const unbounded = { fromMs: null, toMs: null, lowId: null, highId: null };
  const rowsOnly: PlanNode = { kind: "min-count", metric: "likes", atLeast: 3 };

  function inSteps(segment: Segment, plan: PlanNode): { ids: bigint[]; steps: number } {
    const ids: bigint[] = [];
    let high = lastId;
    for (let steps = 1; ; steps++) {
      const answer = segment.search(query(plan), { low: 0n, high }, 1_000, () => true);
      for (const id of answer.ids) expect(id >= (answer.stoppedAt ?? 0n)).toBe(true);
      ids.push(...answer.ids);
      if (answer.stoppedAt === null) return { ids, steps };
      expect(answer.stoppedAt <= high).toBe(true);
      high = answer.stoppedAt - 1n;
    }
  }

  test("a search that is resumed after each deadline neither loses nor repeats posts", () => {
    archive.put(
      ...Array.from({ length: 300 }, (_, n) => ({
        ...post(n),
        counts: { likes: n % 9, reposts: null, replies: null, quotes: null },
      })),
    );
    archive.seal();
    archive.put(...Array.from({ length: 150 }, (_, n) => post(n * 2, `a brook ${n}`)));
    const segment = openSegment(onlyPath(), "bluesky", 1_000);
    for (const plan of [rowsOnly, { kind: "all" } as const, word("brook")]) {
      const fullAnswer = segment.search(query(plan), ranged, 1_000, never);
      expect(fullAnswer.stoppedAt).toBeNull();
      const { ids, steps } = inSteps(segment, plan);
      expect(ids).toEqual(fullAnswer.ids);
      expect(steps).toBeGreaterThan(1);
    }
    segment.close();
  });

  test("a count that ends at the deadline is complete from the reported time on", () => {
    putAll(400);
    archive.seal();
    archive.put(...Array.from({ length: 200 }, (_, n) => post(n * 2, `a river ${n}`)));
    const segment = openSegment(onlyPath(), "bluesky", 1_000);
    const grid = { originMs: 0, widthMs: minuteMs };
    const fullCounts = segment.counter.count(query(rowsOnlyOf("river")), ranged, grid, never);
    const partial = segment.counter.count(query(rowsOnlyOf("river")), ranged, grid, () => true);
    expect(fullCounts.countedFromMs).toBeNull();
    const fromMs = partial.countedFromMs ?? 0;
    expect(fromMs).toBeGreaterThan(start);
    const later = (counts: ReadonlyMap<number, number>) =>
      [...counts].filter(([bucket]) => bucket * minuteMs >= fromMs).sort(([a], [b]) => a - b);
    expect(later(partial.counts)).toEqual(later(fullCounts.counts));
    expect(later(partial.counts).length).toBeGreaterThan(100);
    segment.close();
  });

  test("a count of rows ends at the deadline after some of them", () => {
    putAll(300);
    archive.seal();
    const segment = openSegment(onlyPath(), "bluesky", 1_000);
    const grid = { originMs: 0, widthMs: minuteMs };
    const rowQuery = query(rowsOnlyOf("river"));
    const { counts, countedFromMs } = segment.counter.count(rowQuery, ranged, grid, () => true);
    expect(counts.size).toBe(128);
    expect(countedFromMs).toBe(start + 172 * minuteMs + 1);
    segment.close();
  });

  const rowsOnlyOf = (token: string): PlanNode => ({
    kind: "and",
    children: [word(token), { kind: "not", child: rowsOnly }],
  });
});

describe("times that IDs do not determine", () => {
  const nativePost = (n: number) => {
    const nativeId = lowestId(start + n * minuteMs) + 5n;
    return makePost({
      platform: "x",
      nativeId,
      uri: xUri(nativeId),
      createdMs: start + n * minuteMs - (n % 4) * 40_000,
      text: "a river",
    });
  };
  const countedOn = (bucketMs: number) =>
    archive.reader.operations.count({
      plan: word("river"),
      platforms: ["x"],
      fromMs: start - 10_000,
      toMs: start + 150 * minuteMs + 7,
      bucketMs,
      deadlineMs: Number.POSITIVE_INFINITY,
    }).buckets;

  test("posts whose times differ from those in their IDs are counted and found as with FTS5", () => {
    const early = Array.from({ length: 5 }, (_, n) =>
      makePost({
        platform: "x",
        nativeId: BigInt(100 + n),
        uri: xUri(BigInt(100 + n)),
        createdMs: Date.UTC(2009, 0, 1 + n),
        text: "a river",
      }),
    );
    archive.put(...early, ...Array.from({ length: 200 }, (_, n) => nativePost(n)));
    const window = { fromMs: start + 20 * minuteMs + 1, toMs: start + 90 * minuteMs };
    const baseRequest = { plan: word("river"), platforms: ["x"] as const };
    const before = {
      counts: [60_000, 7 * minuteMs, 1_000].map(countedOn),
      found: archive.search({ ...baseRequest, ...window }).positions,
      early: archive.search({ ...baseRequest, fromMs: null, toMs: Date.UTC(2009, 0, 3) }).positions,
    };
    archive.seal();
    expect({
      counts: [60_000, 7 * minuteMs, 1_000].map(countedOn),
      found: archive.search({ ...baseRequest, ...window }).positions,
      early: archive.search({ ...baseRequest, fromMs: null, toMs: Date.UTC(2009, 0, 3) }).positions,
    }).toEqual(before);
    expect(before.early).toHaveLength(2);
  });
});

describe("damaged sealed index", () => {
  function corrupt(sql: string): void {
    const database = new DatabaseSync(onlyPath());
    database.exec(sql);
    database.close();
  }

  test.each([
    ["the header row", "UPDATE sealed SET heads = x'00'"],
    ["the number of posts", "UPDATE sealed SET posts = 9000000000000000000"],
    ["the time", "UPDATE sealed SET sealed_ms = 9000000000000000000"],
    ["the format", "UPDATE sealed SET format = 0"],
    ["the IDs", "UPDATE sealed_ids SET ids = x'0102'"],
    ["the dictionary", "UPDATE sealed_terms SET block = x'ff'"],
    ["the deletion bitmap", "INSERT INTO sealed_mask VALUES(0, x'00', x'00', NULL)"],
    [
      "a bitmap of a nonexistent chunk",
      "INSERT INTO sealed_mask VALUES(7, zeroblob(8192), zeroblob(8192), NULL)",
    ],
  ])(
    "a sealed index with damage in %s is not used: rows are searched, and the segment is marked",
    (_, sql) => {
      putAll(20, (n) => (n % 2 === 0 ? "a river" : "a brook"));
      archive.seal();
      archive.write([deletion(4)]);
      corrupt("DELETE FROM sealed_mask");
      corrupt(sql);
      archive.reopen();
      expect(found("river")).toEqual([18, 16, 14, 12, 10, 8, 6, 2, 0]);
      expect(planCount(word("river"))).toBe(9);
      expect(existsSync(damageMarkerPath(onlyPath()))).toBe(true);
    },
  );

  test("a damaged sealed index does not prevent writes, and the posts written are found by row", () => {
    putAll(20);
    archive.seal();
    corrupt("UPDATE sealed_ids SET ids = x'0102'");
    archive.reopen();
    archive.put(post(3, "a brook"));
    archive.write([
      { kind: "account", platform: "bluesky", userId: alice, status: "suspended", observedMs: 1 },
      deletion(4),
    ]);
    expect(found("brook")).toEqual([3]);
    expect(found("river")).toHaveLength(18);
    archive.write([
      {
        kind: "account",
        platform: "bluesky",
        userId: "did:plc:author",
        status: "suspended",
        observedMs: 2,
      },
    ]);
    expect(found("river")).toEqual([]);
  });

  test("a damaged sealed index without a marker is recognised: the segment is split, written and searched by row", () => {
    putAll(100);
    archive.seal();
    archive.write([deletion(4)]);
    corrupt("DELETE FROM sealed_mask; UPDATE sealed SET format = 0");
    const [entry] = entries();
    if (entry === undefined) throw new Error("no segment");
    expect(findSplitIds(archive.folder, entry, 30)).toHaveLength(3);
    const database = openForReading(onlyPath(), 100);
    expect(nthIdReader(database, onlyPath())(98)).not.toBeNull();
    expect(nthIdReader(database, onlyPath())(99)).toBeNull();
    database.close();
    rmSync(damageMarkerPath(onlyPath()));
    const catalog = openForReading(catalogPath(archive.folder), 100);
    const all = [...findPosts(archive.folder, catalog, word("river"), ["bluesky"])].flat();
    catalog.close();
    const { segments } = archive.reader.operations.stats({ maxBytes: 0 });
    expect(segments[0]?.sealed?.damaged).toBe(true);
    expect(all).toHaveLength(99);
    rmSync(damageMarkerPath(onlyPath()));
    archive.reopen();
    archive.write([deletion(5)]);
    expect(found("river")).toHaveLength(98);
  });

  test("a sealed index with a damaged page is not used, from the first answer on", () => {
    putAll(20, (n) => (n % 2 === 0 ? "a river" : "a brook"));
    archive.seal();
    damageTablePage(onlyPath(), "sealed_terms");
    archive.reopen();
    expect(found("river")).toEqual([18, 16, 14, 12, 10, 8, 6, 4, 2, 0]);
    expect(planCount(word("river"))).toBe(10);
    expect(existsSync(damageMarkerPath(onlyPath()))).toBe(true);
  });

  test.each(["sealed", "sealed_ids", "sealed_mask", "sealed_terms"])(
    "a damaged page of %s does not prevent writes",
    (table) => {
      putAll(20);
      archive.seal();
      archive.write([deletion(5)]);
      damageTablePage(onlyPath(), table);
      archive.reopen();
      archive.write([
        { kind: "upsert", post: post(3, "a brook") },
        { kind: "upsert", post: post(20, "a brook") },
        { kind: "account", platform: "bluesky", userId: alice, status: "suspended", observedMs: 1 },
        deletion(4),
      ]);
      expect(found("brook")).toEqual([20, 3]);
      expect(found("river")).toHaveLength(17);
      expect(archive.reader.operations.ingestOrder({ after: null, limit: 100 })).toHaveLength(19);
    },
  );

  test("a damaged sealed index is recognised by readers that have it open", () => {
    putAll(20);
    archive.seal();
    expect(archive.query("river").work.containers).toBe(1);
    markDamaged(onlyPath());
    archive.put(post(3, "a brook"));
    expect(archive.query("river").work).toMatchObject({ containers: 0, rechecked: 20 });
  });

  test("searching the rows of a damaged sealed segment respects the deadline", () => {
    putAll(300);
    archive.seal();
    markDamaged(onlyPath());
    const { complete, next, positions } = archive.search({
      plan: word("river"),
      limit: 1_000,
      deadlineMs: Number.NEGATIVE_INFINITY,
    });
    expect(complete).toBe(false);
    expect(positions).toHaveLength(16);
    expect(
      archive.search({ plan: word("river"), limit: 1_000, after: next }).positions,
    ).toHaveLength(284);
  });
});

describe("cut of a sealed segment", () => {
  test("cutting a sealed segment makes parts of the same sizes as cutting an unsealed one", () => {
    putAll(100);
    const [entry] = entries();
    if (entry === undefined) throw new Error("no segment");
    const before = findSplitIds(archive.folder, entry, 30);
    archive.seal();
    const sealed = (): bigint[] =>
      entries().flatMap((segment) => findSplitIds(archive.folder, segment, 30));
    expect(before).toHaveLength(3);
    expect(sealed()).toEqual(before);
    archive.put(post(10, "a brook"), post(60, "a brook"), post(100));
    archive.write([deletion(20)]);
    expect(sealed()).toHaveLength(3);
    const database = openForReading(onlyPath(), 100);
    const readNthId = nthIdReader(database, onlyPath());
    const ids = database.prepare("SELECT id FROM post ORDER BY id");
    ids.setReadBigInts(true);
    expect([...Array(101).keys()].map(readNthId)).toEqual([...ids.all().map(({ id }) => id), null]);
    database.close();
  });
});
