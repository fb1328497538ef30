import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import {
  allPostsQuery,
  contents,
  makeNumberedPost,
  queries,
  startMs,
} from "../../../testkit/archives/changed-archive.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { nextMillisecondId } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import {
  currentAnalyzer,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { markDamaged } from "../segments/integrity.ts";
import { archiveDefaults } from "../settings.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { findSplitIds } from "./cuts.ts";
import { cleanUpAfterCrash, retiredFiles } from "./retire.ts";
import { rewriteSegment } from "./rewrite.ts";
import { runSteps } from "./steps.ts";

let archive: SmallArchive;
let context: CompactionContext;
beforeEach(() => {
  archive = smallArchive(100_000);
  context = compactionContext(archive.folder, archiveDefaults, { now: () => 0 });
});
afterEach(() => {
  context.catalog.close();
  archive.remove();
});

const posts = (count: number, overrides: Partial<Post> = {}): Post[] =>
  Array.from({ length: count }, (_, n) => makeNumberedPost(n, { origin: "stream", ...overrides }));

function entry(index = 0): SegmentEntry {
  const found = readSegments(context.catalog)[index];
  if (found === undefined) throw new Error("no such segment");
  return found;
}

const keepAll = { cuts: [], shouldKeep: null };

describe("a rewritten segment", () => {
  test("a rewritten segment has the same posts, search results, hidden posts and ingest order", () => {
    archive.put(...posts(60));
    archive.write([
      {
        kind: "account",
        platform: "bluesky",
        userId: "did:plc:author3",
        status: "suspended",
        observedMs: startMs,
      },
      {
        kind: "delete",
        platform: "bluesky",
        uri: "at://did:plc:author1/app.bsky.feed.post/k1",
        revision: "2",
      },
    ]);
    const before = contents(archive);
    expect(runSteps(rewriteSegment(context, entry(), keepAll))).toEqual({
      isDone: true,
      posts: 59,
      dropped: 0,
    });
    expect(entry()).toMatchObject({ sequence: 2, low: 0n, rewriting: false, optimised: false });
    expect(contents(archive)).toEqual(before);
    archive.write([
      {
        kind: "account",
        platform: "bluesky",
        userId: "did:plc:author3",
        status: "active",
        observedMs: startMs + 1,
      },
    ]);
    expect(archive.search(allPostsQuery).positions).toHaveLength(59);
  });

  test("a rewritten segment accepts later edits, deletions and counts by uri", () => {
    archive.put(...posts(20));
    runSteps(rewriteSegment(context, entry(), keepAll));
    const [edited, deleted, liked] = posts(3);
    if (!edited || !deleted || !liked) throw new Error("no posts");
    archive.write([
      { kind: "upsert", post: { ...edited, text: "the edited tower", revision: "2" } },
      { kind: "delete", platform: "bluesky", uri: deleted.uri, revision: "2" },
      { kind: "count", platform: "bluesky", uri: liked.uri, metric: "likes", increment: 12 },
    ]);
    archive.addCounts();
    expect(archive.query("tower").positions).toHaveLength(1);
    expect(archive.query("min_faves:10").positions).toHaveLength(1);
    expect(archive.search(allPostsQuery).positions).toHaveLength(19);
  });

  test("a rewritten segment includes writes made at any stage of the copy", () => {
    archive.put(...posts(300));
    const twin = smallArchive(100_000);
    try {
      twin.put(...posts(300));
      const steps = rewriteSegment(context, entry(), keepAll);
      let round = 0;
      for (; !steps.next().done; round += 1) {
        if (round < 20) for (const target of [archive, twin]) change(target, round);
      }
      expect(round).toBeGreaterThan(8);
      expect(entry().sequence).toBe(2);
      const seen = (target: SmallArchive) => {
        const { positions } = target.search(allPostsQuery);
        return target.records(positions).map((record) => ({ ...record, ID: "" }));
      };
      expect(seen(archive)).toEqual(seen(twin));
      for (const query of queries) {
        const [a, b] = [archive, twin].map((target) =>
          target
            .records(target.query(query, { limit: 1_000 }).positions)
            .map((record) => record.Metadata.uri),
        );
        expect(a).toEqual(b);
      }
      const ingestOrders = [archive, twin].map((target) =>
        target.reader.operations
          .ingestOrder({ after: null, limit: 10_000 })
          .map(({ number }) => number),
      );
      expect(ingestOrders[0]).toEqual(ingestOrders[1]);
    } finally {
      twin.remove();
    }
  });

  function change(target: SmallArchive, round: number): void {
    const allPosts = posts(300);
    const revision = String(round + 2);
    const at = (n: number): Post => {
      const post = allPosts[(round * 37 + n * 71) % 300];
      if (post === undefined) throw new Error("no such post");
      return post;
    };
    target.write([
      { kind: "upsert", post: { ...at(1), text: `edited river ${round}`, revision } },
      { kind: "delete", platform: "bluesky", uri: at(2).uri, revision },
      { kind: "upsert", post: { ...at(3), text: `again snow ${round}`, revision } },
      { kind: "count", platform: "bluesky", uri: at(4).uri, metric: "likes", increment: 1 },
      {
        kind: "account",
        platform: "bluesky",
        userId: `did:plc:author${round % 5}`,
        status: round % 2 === 0 ? "suspended" : "active",
        observedMs: startMs + round,
      },
      ...posts(2).map((post, n) => ({
        kind: "upsert" as const,
        post: {
          ...post,
          uri: `at://did:plc:author9/app.bsky.feed.post/late${round}-${n}`,
          text: `late stone ${round} ${n}`,
          createdMs: startMs + round * 5_000 + n,
          seenMs: startMs + round * 5_000 + n,
        },
      })),
    ]);
    target.addCounts();
  }

  test("a rewritten segment has terms of the current analyzer", () => {
    archive.put(...posts(10));
    const segment = new DatabaseSync(segmentPath(archive.folder, entry()));
    segment.exec("INSERT INTO term(term) VALUES('delete-all')");
    segment.close();
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '1 15.0'");
    expect(archive.query("river").positions).toHaveLength(5);
    runSteps(rewriteSegment(context, entry(), keepAll));
    expect(entry().analyzer).toBe(currentAnalyzer);
    expect(archive.query("river").work.candidates).toBe(5);
  });

  test("a rewritten segment records how many of its posts were imported", () => {
    archive.put(...posts(4), ...posts(3, { origin: "import", platform: "mastodon" }));
    archive.put(makePost({ key: "imported" }));
    runSteps(rewriteSegment(context, entry(), keepAll));
    const { segments } = archive.reader.operations.stats({ maxBytes: 0 });
    expect(segments).toMatchObject([
      { platform: "bluesky", posts: 5, imported: 1 },
      { platform: "mastodon" },
    ]);
  });

  test("rewriting a segment drops the posts that its filter rejects", () => {
    archive.put(...posts(10), makePost({ key: "imported", text: "kept river" }));
    const shouldKeep = (record: string) => record.includes("kept");
    expect(runSteps(rewriteSegment(context, entry(), { cuts: [], shouldKeep }))).toMatchObject({
      posts: 1,
      dropped: 10,
    });
    expect(archive.query("river").positions).toHaveLength(1);
  });

  test("abandoning a rewrite at any step leaves the old segment unchanged", () => {
    archive.put(...posts(30));
    const before = contents(archive);
    for (let steps = 1; ; steps += 1) {
      const rewriting = rewriteSegment(context, entry(), keepAll);
      let isOver = false;
      for (let step = 0; step < steps && !isOver; step += 1)
        isOver = rewriting.next().done === true;
      if (isOver) break;
      rewriting.return({ isDone: false, posts: 0, dropped: 0 });
      expect(entry()).toMatchObject({ sequence: 1, rewriting: false });
      expect(retiredFiles(context.catalog)).toEqual([]);
      expect(
        readdirSync(join(archive.folder, "bluesky")).filter((name) => /0002/.test(name)),
      ).toEqual([]);
      expect(contents(archive)).toEqual(before);
    }
    expect(contents(archive)).toEqual(before);
  });

  test("rewriting a segment releases the catalog lock between steps", () => {
    archive.put(...posts(30));
    const rewriting = rewriteSegment(context, entry(), keepAll);
    while (!rewriting.next().done) expect(context.catalog.isTransaction).toBe(false);
  });
});

describe("a segment marked as damaged", () => {
  const damage = (sql: string, tables: readonly string[] = []): void => {
    archive.put(...posts(10));
    const path = segmentPath(archive.folder, entry());
    const segment = new DatabaseSync(path, { defensive: false });
    segment.exec(sql);
    segment.close();
    markDamaged(path, tables);
  };

  test.each([
    [
      "has lost rows",
      "DELETE FROM post WHERE id = (SELECT min(id) FROM post)",
      [],
      "9 of 10 posts",
    ],
    ["has a damaged list of hidden posts", "SELECT 1", ["hidden"], "a damaged list of hidden"],
  ])("a segment marked as damaged is not rewritten if it %s", (_, sql, tables, message) => {
    damage(sql, tables);
    const rewriting = rewriteSegment(context, entry(), keepAll);
    expect(() => runSteps(rewriting)).toThrow(
      expect.objectContaining({
        code: "archive_damaged",
        message: expect.stringContaining(message),
        hint: expect.stringContaining("earshot archive reindex --segment bluesky/1"),
      }),
    );
    expect(entry()).toMatchObject({ sequence: 1, rewriting: false });
  });

  test("a segment marked as damaged is rewritten from intact rows, and its uris are rebuilt", () => {
    damage("UPDATE uri SET hash = hash + 1", ["uri"]);
    runSteps(rewriteSegment(context, entry(), keepAll));
    const [first] = posts(1);
    if (first === undefined) throw new Error("no post");
    archive.write([{ kind: "delete", platform: "bluesky", uri: first.uri, revision: "2" }]);
    expect(archive.search(allPostsQuery).positions).toHaveLength(9);
  });
});

describe("a split segment", () => {
  test("a segment is split at millisecond boundaries without changing its contents", () => {
    archive.put(...posts(100));
    archive.put(
      ...posts(40).map((post, n) => ({
        ...post,
        uri: `at://did:plc:same/app.bsky.feed.post/same${n}`,
        createdMs: startMs + 50_000,
        seenMs: startMs + 50_000,
      })),
    );
    const before = contents(archive);
    const cuts = findSplitIds(archive.folder, entry(), 50);
    expect(cuts).toHaveLength(2);
    for (const cut of cuts) expect(nextMillisecondId(cut - 1n)).toBe(cut);
    runSteps(rewriteSegment(context, entry(), { cuts, shouldKeep: null }));
    const { segments } = archive.reader.operations.stats({ maxBytes: 0 });
    expect(segments.map((segment) => segment.posts).reduce((a, b) => a + b)).toBe(140);
    expect(Math.max(...segments.map((segment) => segment.posts))).toBeLessThan(90);
    const entries = readSegments(context.catalog);
    expect(entries.map(({ low }) => low)).toEqual([0n, ...cuts]);
    expect(entries.map(({ optimised }) => optimised)).toEqual([true, true, false]);
    expect(contents(archive)).toEqual(before);
  });

  test("late posts are stored in the part of a split segment that owns their ID", () => {
    archive.put(...posts(100));
    const cuts = findSplitIds(archive.folder, entry(), 60);
    runSteps(rewriteSegment(context, entry(), { cuts, shouldKeep: null }));
    archive.put(
      makePost({ key: "late", createdMs: startMs + 500, text: "late harbour" }),
      makePost({ key: "later", createdMs: startMs + 99_500, text: "late harbour" }),
    );
    const { segments } = archive.reader.operations.stats({ maxBytes: 0 });
    expect(segments.map((segment) => segment.posts)).toEqual([51, 51]);
    expect(archive.query('"late harbour"').positions).toHaveLength(2);
  });

  test("a segment whose posts share a millisecond has no cuts", () => {
    archive.put(...posts(30, { createdMs: startMs, seenMs: startMs }));
    expect(findSplitIds(archive.folder, entry(), 10)).toEqual([]);
  });
});

describe("a crash during a rewrite", () => {
  test("clean-up after a crash during a rewrite moves orphaned files away and empties the list of changed posts", () => {
    archive.put(...posts(10));
    const before = contents(archive);
    const rewriting = rewriteSegment(context, entry(), keepAll);
    for (let step = 0; step < 4; step += 1) rewriting.next();
    new DatabaseSync(join(archive.folder, "bluesky", "000009.db")).exec("CREATE TABLE a(b)");
    archive.put(makePost({ key: "later" }));
    runSteps(cleanUpAfterCrash(context));
    expect(entry().rewriting).toBe(false);
    const segment = new DatabaseSync(segmentPath(archive.folder, entry()));
    expect(segment.prepare("SELECT count(*) AS changed FROM changed").get()).toEqual({
      changed: 0,
    });
    segment.close();
    const files = readdirSync(join(archive.folder, "bluesky"));
    expect(files).not.toContain("000009.db");
    expect(retiredFiles(context.catalog)).toMatchObject([{ sequence: 2 }]);
    expect(contents(archive)).not.toEqual(before);
    expect(archive.search(allPostsQuery).positions).toHaveLength(11);
  });
});
