import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findingsIn } from "../../../testkit/archives/findings-in.ts";
import { storePostsAs } from "../../../testkit/archives/index-forms.ts";
import {
  openSecondCatalog,
  type SmallArchive,
  smallArchive,
} from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { regressionCases } from "../../../testkit/data/regression-cases.ts";
import type { Post } from "../../posts/post.ts";
import { readCheckpoint, readSegments, segmentPath } from "../catalog/catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import { openForReading } from "../database.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const startMs = Date.UTC(2020, 0, 1);
const post = (n: number, overrides: Partial<Post> = {}): Post =>
  makePost({
    key: `k${n}`,
    createdMs: startMs + n * 60_000,
    text: `word${n} all`,
    origin: "import",
    ...overrides,
  });
const posts = (from: number, to: number): Post[] =>
  Array.from({ length: to - from }, (_, n) => post(from + n));

type Shape = { posts: number; sealed: number | null; fts5: number };

function shapes(): Shape[] {
  const catalog = openCatalog(archive.folder);
  const entries = readSegments(catalog);
  catalog.close();
  return entries.map((entry) => {
    const segment = openForReading(segmentPath(archive.folder, entry), 1_000);
    const number = (sql: string): number | null => {
      const value = segment.prepare(sql).get()?.n;
      return value === undefined ? null : Number(value);
    };
    const shape = {
      posts: number("SELECT count(*) AS n FROM post") ?? 0,
      sealed: number("SELECT posts AS n FROM sealed"),
      fts5: number("SELECT count(*) AS n FROM term_docsize") ?? 0,
    };
    segment.close();
    return shape;
  });
}

const foundTexts = (query: string): string[] =>
  archive.records(archive.query(query, { limit: 10_000 }).positions).map(({ Content }) => Content);
const texts = (from: number, to: number): string[] =>
  posts(from, to)
    .map(({ text }) => text)
    .reverse();
const storedCheckpoint = (name: string): string | null => {
  const catalog = openCatalog(archive.folder);
  const value = readCheckpoint(catalog, name);
  catalog.close();
  return value;
};
const at = (value: string) => ({ checkpoints: [{ name: "import", value }] });

describe("import into an empty archive", () => {
  test("an import into an empty archive builds a sealed segment that is invisible until the import is finished", async () => {
    archive.importBatch(posts(0, 20), at("1"));
    archive.importBatch(posts(20, 30), at("2"));
    expect([foundTexts("all"), storedCheckpoint("import")]).toEqual([[], null]);
    archive.finishImport();
    expect(shapes()).toEqual([{ posts: 30, sealed: 30, fts5: 0 }]);
    expect(foundTexts("all")).toEqual(texts(0, 30));
    expect(storedCheckpoint("import")).toBe("2");
    expect(await findingsIn(archive.folder)).toEqual([]);
  });

  test("an import into an empty archive fills one segment after another, in any order of posts", async () => {
    archive.remove();
    archive = smallArchive(20);
    archive.importSealed(posts(10, 30), posts(35, 50), posts(30, 35), posts(0, 10), posts(50, 55));
    expect(shapes()).toEqual([
      { posts: 30, sealed: 20, fts5: 10 },
      { posts: 20, sealed: 20, fts5: 0 },
      { posts: 5, sealed: 5, fts5: 0 },
    ]);
    expect(foundTexts("all")).toEqual(texts(0, 55));
    expect(await findingsIn(archive.folder)).toEqual([]);
  });

  test("an import into an empty archive stores the later of two versions, and counts both", async () => {
    const [first, second] = archive.importSealed(posts(0, 10), [
      post(3, { text: "changed all" }),
      post(4),
      ...posts(10, 12),
    ]);
    expect(first).toMatchObject({ inserted: 10 });
    expect(second).toMatchObject({ inserted: 2, updated: 1, unchanged: 1 });
    expect(shapes()).toEqual([{ posts: 12, sealed: 12, fts5: 0 }]);
    expect(foundTexts("changed")).toEqual(["changed all"]);
    expect(foundTexts("word3")).toEqual([]);
    expect(await findingsIn(archive.folder)).toEqual([]);
  });

  test("an import into an archive that an earlier import filled writes ordinary batches", async () => {
    archive.importSealed(posts(0, 10));
    archive.importSealed(posts(5, 15));
    expect(shapes()).toEqual([{ posts: 15, sealed: 10, fts5: 5 }]);
    expect(foundTexts("all")).toEqual(texts(0, 15));
    expect(await findingsIn(archive.folder)).toEqual([]);
  });

  test("an import into an empty archive uses the order of IDs as the ingest order", () => {
    archive.importSealed(posts(10, 30), posts(0, 10));
    const { ingestOrder } = archive.reader.operations;
    const ids = ingestOrder({ after: null, limit: 100 }).map(({ id }) => id);
    expect(ids).toEqual(
      archive
        .query("all")
        .positions.map(({ id }) => id)
        .reverse(),
    );
  });

  test("an import into an empty archive does not seal a segment with too few posts", async () => {
    archive.remove();
    archive = smallArchive(1_000, undefined, 11);
    archive.importSealed(posts(0, 6), posts(6, 10));
    expect(shapes()).toEqual([{ posts: 10, sealed: null, fts5: 10 }]);
    expect(foundTexts("all")).toEqual(texts(0, 10));
  });
});

test("an import commits an unbuffered batch immediately", () => {
  archive.importSealed(posts(0, 5));
  archive.importBatch(posts(0, 20), at("1"));
  archive.reopen();
  expect([foundTexts("all"), storedCheckpoint("import")]).toEqual([texts(0, 20), "1"]);
});

describe("unfinished buffered import", () => {
  test("an unfinished buffered import leaves nothing behind when the archive is closed", async () => {
    archive.importBatch(posts(0, 20), at("1"));
    archive.reopen();
    expect([foundTexts("all"), storedCheckpoint("import")]).toEqual([[], null]);
    archive.importSealed(posts(0, 20));
    expect(foundTexts("all")).toEqual(texts(0, 20));
    expect(await findingsIn(archive.folder)).toEqual([]);
  });

  test("an unfinished buffered import falls back to ordinary batches if another process writes", async () => {
    const otherCatalog = openSecondCatalog(archive);
    archive.importBatch(posts(0, 10), at("1"));
    otherCatalog.put(post(3, { text: "other all", origin: "stream" }), post(100));
    archive.importBatch(posts(10, 20), at("2"));
    archive.finishImport();
    otherCatalog.close();
    expect(foundTexts("other")).toEqual(["other all"]);
    expect(foundTexts("all")).toHaveLength(21);
    expect(storedCheckpoint("import")).toBe("2");
    expect(await findingsIn(archive.folder)).toEqual([]);
  });

  test("an unfinished buffered import is finished before another batch is written", async () => {
    archive.importBatch(posts(0, 10), at("1"));
    archive.write([{ kind: "delete", platform: "bluesky", uri: post(3).uri, revision: "r" }]);
    expect(shapes()).toEqual([{ posts: 9, sealed: 10, fts5: 0 }]);
    expect(foundTexts("all")).toHaveLength(9);
    expect(await findingsIn(archive.folder)).toEqual([]);
  });
});

describe("import without a sealed segment", () => {
  test("an import builds no sealed segment while another process is running compaction", () => {
    const otherProcess = archive.lockCompaction();
    archive.importSealed(posts(0, 10));
    otherProcess.release();
    expect(shapes()).toEqual([{ posts: 10, sealed: null, fts5: 10 }]);
  });

  test("an import builds no sealed segment when posts may have to be hidden or labelled", () => {
    const uri = post(3).uri;
    archive.write([
      {
        kind: "label",
        platform: "bluesky",
        subject: uri,
        source: "did:plc:m",
        value: "!hide",
        negated: false,
        createdMs: 1,
        expiresMs: null,
      },
    ]);
    archive.importSealed(posts(0, 10));
    expect(shapes()).toEqual([{ posts: 10, sealed: null, fts5: 10 }]);
    expect(foundTexts("all")).toHaveLength(9);
  });
});

test("an import rejects a post that was deleted earlier", async () => {
  const { uri } = post(3);
  archive.write([{ kind: "delete", platform: "bluesky", uri, revision: "forgotten" }]);
  archive.importSealed(posts(0, 10));
  expect(foundTexts("all")).toHaveLength(9);
  expect(shapes()).toEqual([{ posts: 9, sealed: 9, fts5: 0 }]);
});

test("a finished import leaves no files other than segment files", () => {
  archive.importSealed(posts(0, 10));
  const files = readdirSync(join(archive.folder, "bluesky"));
  expect(files.filter((name) => !/^\d{6}\.db(-wal|-shm)?$/.test(name))).toEqual([]);
  expect(existsSync(join(archive.folder, "bluesky", "000003.db"))).toBe(false);
});

test.each(regressionCases)(
  "the imported archive returns the same records as FTS5, byte for byte: $name, $query",
  (regressionCase) => {
    const casePosts = regressionCase.posts.map((other) => makePost(other));
    const [sealed, ordinary] = [archive, smallArchive()];
    try {
      storePostsAs(sealed, casePosts, "imported");
      storePostsAs(ordinary, casePosts, "fts5");
      const makeAnswer = (source: SmallArchive) => {
        const { positions, complete } = source.query(regressionCase.query, { limit: 10_000 });
        return { positions, complete, records: source.reader.operations.records(positions) };
      };
      expect(makeAnswer(sealed)).toEqual(makeAnswer(ordinary));
    } finally {
      ordinary.remove();
    }
  },
);
