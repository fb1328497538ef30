import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import {
  allPostsQuery,
  changeAll,
  contents,
  deletion,
  makeNumberedPost,
  posts,
  postsWithoutIds,
  startMs,
  suspension,
} from "../../../testkit/archives/changed-archive.ts";
import { damageTablePage } from "../../../testkit/archives/damage-page.ts";
import { findingsIn } from "../../../testkit/archives/findings-in.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import type { Platform } from "../../posts/post.ts";
import { readSegments, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { pendingRewrites } from "../catalog/pending-tasks.ts";
import { isMarkedDamaged } from "../segments/integrity.ts";
import { archiveDefaults } from "../settings.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { retiredFiles } from "./retire.ts";
import { rewriteSegment } from "./rewrite.ts";
import { sealSegment } from "./seal-segment.ts";
import { runSteps } from "./steps.ts";

let archive: SmallArchive;
let context: CompactionContext;
let nowMs: number;
beforeEach(() => {
  archive = smallArchive(100_000);
  nowMs = 0;
  context = compactionContext(archive.folder, archiveDefaults, { now: () => nowMs });
});
afterEach(() => {
  context.catalog.close();
  archive.remove();
});

function entry(platform: Platform = "bluesky"): SegmentEntry {
  const found = readSegments(context.catalog).find((segment) => segment.platform === platform);
  if (found === undefined) throw new Error("no such segment");
  return found;
}

const seal = (platform: Platform = "bluesky") => runSteps(sealSegment(context, entry(platform)));

const sealedStats = (source: SmallArchive = archive) =>
  source.reader.operations.stats({ maxBytes: 0 }).segments.map(({ sealed }) => sealed);

const errors = () => findingsIn(archive.folder);

describe("sealed segment", () => {
  test("a sealed segment has the same posts, search results, hidden posts, ingest order and statistics", async () => {
    archive.put(...posts(60));
    archive.write([suspension(3, true, startMs), deletion(makeNumberedPost(1), "2")]);
    const before = contents(archive);
    const { segments } = archive.reader.operations.stats({ maxBytes: 0 });
    nowMs = 5_000;
    expect(seal()).toEqual({ isDone: true, posts: 59, dropped: 0 });
    expect(entry()).toMatchObject({ sequence: 2, low: 0n, rewriting: false });
    expect(contents(archive)).toEqual(before);
    expect(archive.reader.operations.stats({ maxBytes: 0 }).segments).toEqual([
      {
        ...segments[0],
        sequence: 2,
        bytes: expect.any(Number),
        sealed: {
          atMs: 5_000,
          posts: 59,
          bytes: expect.any(Number),
          replaced: 0,
          delta: 0,
          damaged: false,
        },
      },
    ]);
    expect(await errors()).toEqual([]);
    archive.write([suspension(3, false, startMs + 1)]);
    expect(archive.search(allPostsQuery).positions).toHaveLength(59);
    expect(await errors()).toEqual([]);
  });

  test("later writes to a sealed segment are found, and added to the sealed index when it is resealed", async () => {
    archive.put(...posts(40));
    seal();
    const [edited, deleted, liked] = posts(3);
    if (!edited || !deleted || !liked) throw new Error("no posts");
    archive.write([
      { kind: "upsert", post: { ...edited, text: "the edited tower", revision: "2" } },
      deletion(deleted, "2"),
      { kind: "count", platform: "bluesky", uri: liked.uri, metric: "likes", increment: 12 },
      {
        kind: "upsert",
        post: makeNumberedPost(5, { uri: "at://did:plc:a/app.bsky.feed.post/late" }),
      },
    ]);
    archive.addCounts();
    expect(archive.query("tower").positions).toHaveLength(1);
    expect(sealedStats()).toMatchObject([{ posts: 40, replaced: 3, delta: 3 }]);
    const before = contents(archive);
    expect(seal()).toMatchObject({ posts: 40 });
    expect(sealedStats()).toMatchObject([{ posts: 40, replaced: 0, delta: 0 }]);
    expect(contents(archive)).toEqual(before);
    expect(await errors()).toEqual([]);
  });

  test("abandoning sealing at any step leaves the old segment unchanged", () => {
    archive.put(...posts(30));
    const before = contents(archive);
    for (let steps = 1; ; steps += 1) {
      const sealing = sealSegment(context, entry());
      let isOver = false;
      for (let step = 0; step < steps && !isOver; step += 1) isOver = sealing.next().done === true;
      if (isOver) break;
      sealing.return({ isDone: false, posts: 0, dropped: 0 });
      expect(entry()).toMatchObject({ sequence: 1, rewriting: false });
      expect(retiredFiles(context.catalog)).toEqual([]);
      const files = readdirSync(join(archive.folder, "bluesky"));
      expect(files.filter((name) => name.startsWith("000002"))).toEqual([]);
      expect(contents(archive)).toEqual(before);
    }
    expect(contents(archive)).toEqual(before);
    expect(sealedStats()).toMatchObject([{ posts: 30 }]);
  });

  test("sealing a segment releases the catalog lock between steps", () => {
    archive.put(...posts(30));
    const sealing = sealSegment(context, entry());
    while (!sealing.next().done) expect(context.catalog.isTransaction).toBe(false);
  });

  test("sealing drops ingest numbers that are no longer retained, and preserves the time skew", () => {
    archive.put(...posts(30));
    changeCatalog(
      context.catalog,
      "UPDATE setting SET value = '20' WHERE name = 'ingest_order_from'",
    );
    changeCatalog(context.catalog, "UPDATE segment SET skew_min_ms = -7000, skew_max_ms = 9000");
    archive.put(makeNumberedPost(40));
    seal();
    expect(entry().skew).toEqual({ minMs: -7_000, maxMs: 9_000 });
    const segment = new DatabaseSync(segmentPath(archive.folder, entry()));
    expect(segment.prepare("SELECT min(number) AS first FROM ingest_order").get()).toEqual({
      first: 30,
    });
    segment.close();
  });

  test("a segment with terms of another analyzer is not sealed", () => {
    archive.put(...posts(5));
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '1 15.0'");
    expect(seal()).toMatchObject({ isDone: false });
    expect(entry()).toMatchObject({ sequence: 1, rewriting: false });
  });

  test("a rewrite of a sealed segment from its rows leaves it unsealed", async () => {
    archive.put(...posts(50));
    seal();
    archive.put(makeNumberedPost(3, { text: "edited", revision: "2" }));
    const before = contents(archive);
    runSteps(rewriteSegment(context, entry(), { cuts: [], shouldKeep: null }));
    expect(sealedStats()).toEqual([null]);
    expect(contents(archive)).toEqual(before);
    expect(await errors()).toEqual([]);
  });

  test("a sealed segment is marked as damaged if resealing finds a damaged index", () => {
    archive.put(...posts(50));
    seal();
    const path = segmentPath(archive.folder, entry());
    const segment = new DatabaseSync(path);
    segment.exec("UPDATE sealed_terms SET block = x'ffffff'");
    segment.close();
    expect(() => seal()).toThrow();
    expect(isMarkedDamaged(path)).toBe(true);
    expect(entry()).toMatchObject({ sequence: 2, rewriting: false });
    runSteps(rewriteSegment(context, entry(), { cuts: [], shouldKeep: null }));
    expect(archive.query("number", { limit: 100 }).positions).toHaveLength(50);
  });

  test("an unsealed segment with damaged rows is not marked as damaged", () => {
    archive.put(...posts(400));
    const path = segmentPath(archive.folder, entry());
    damageTablePage(path, "post");
    expect(() => seal()).toThrow(/malformed/);
    expect(isMarkedDamaged(path)).toBe(false);
    expect(entry()).toMatchObject({ sequence: 1, rewriting: false });
    expect(pendingRewrites(context.catalog)).toEqual([]);
  });

  test.each([
    [
      "term_data",
      "UPDATE term_data SET block = CAST(replace(block, 'umber', 'umbel') AS BLOB) WHERE id > 10",
    ],
    ["uri", "UPDATE uri SET hash = hash + 1"],
  ])(
    "sealing marks a segment as damaged if %s does not match its checksum, and a rewrite repairs it",
    async (table, damage) => {
      archive.put(...posts(50));
      const path = segmentPath(archive.folder, entry());
      const segment = new DatabaseSync(path, { defensive: false });
      segment.exec(damage);
      segment.close();
      expect(() => seal()).toThrow(`do not match their checksums: ${table}`);
      expect(isMarkedDamaged(path)).toBe(true);
      runSteps(rewriteSegment(context, entry(), { cuts: [], shouldKeep: null }));
      expect(seal()).toMatchObject({ isDone: true, posts: 50 });
      expect(archive.query("number", { limit: 100 }).positions).toHaveLength(50);
      expect(await errors()).toEqual([]);
    },
  );

  test("a sealed segment is marked as damaged if resealing finds a damaged page of its index", () => {
    archive.put(...posts(400));
    seal();
    const path = segmentPath(archive.folder, entry());
    damageTablePage(path, "sealed_terms");
    expect(() => seal()).toThrow(/malformed/);
    expect(isMarkedDamaged(path)).toBe(true);
  });
});

describe("segment with an unreadable FTS5 index", () => {
  const damageIndex = () => {
    const segment = new DatabaseSync(segmentPath(archive.folder, entry()), { defensive: false });
    segment.exec("UPDATE term_data SET block = x'00000001ff00000101010101' WHERE id = 10");
    segment.close();
  };

  test("a segment with an unreadable FTS5 index is not sealed until it has been rebuilt from its posts", () => {
    archive.put(...posts(50));
    damageIndex();
    expect(() => seal()).toThrow(/^the segment cannot be sealed because its/);
    expect(isMarkedDamaged(segmentPath(archive.folder, entry()))).toBe(false);
    expect(pendingRewrites(context.catalog)).toMatchObject([{ sequence: 1 }]);
    runSteps(rewriteSegment(context, entry(), { cuts: [], shouldKeep: null }));
    expect(pendingRewrites(context.catalog)).toEqual([]);
    expect(seal()).toMatchObject({ isDone: true, posts: 50 });
    expect(archive.query("number", { limit: 100 }).positions).toHaveLength(50);
  });

  test("a rewrite for an unreadable FTS5 index is requested only once, unless the segment was sealed in between", () => {
    archive.put(...posts(50));
    const damageIndexAndSeal = () => {
      damageIndex();
      expect(() => seal()).toThrow();
    };
    const rewrite = () =>
      runSteps(rewriteSegment(context, entry(), { cuts: [], shouldKeep: null }));
    damageIndexAndSeal();
    rewrite();
    damageIndexAndSeal();
    expect(pendingRewrites(context.catalog)).toEqual([]);
    rewrite();
    seal();
    damageIndexAndSeal();
    expect(pendingRewrites(context.catalog)).toHaveLength(1);
  });
});

describe("writes during sealing", () => {
  test.each(["bluesky", "x"] as const)(
    "writes during sealing are in the sealed segment of %s afterwards",
    async (platform) => {
      const twin = smallArchive(100_000);
      try {
        const archives = [archive, twin];
        for (const target of archives) target.put(...posts(40), ...postsWithoutIds(40));
        let round = 0;
        for (const steps = sealSegment(context, entry(platform)); !steps.next().done; round += 1) {
          if (round % 4 === 0) for (const target of archives) changeAll(target, round, 40);
        }
        expect(contents(archive)).toEqual(contents(twin));
        expect(await errors()).toEqual([]);
        const [sealed] = sealedStats().filter((stat) => stat !== null);
        expect(sealed).toMatchObject({ delta: expect.any(Number), replaced: expect.any(Number) });
        expect(sealed?.delta).toBeGreaterThan(0);
        expect(sealed?.replaced).toBeGreaterThan(0);
      } finally {
        twin.remove();
      }
    },
  );
});
