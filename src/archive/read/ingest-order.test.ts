import { afterEach, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { IngestedPost } from "../archive.ts";
import { openCatalog } from "../catalog/open-catalog.ts";

const start = Date.UTC(2026, 0, 1);
let archive: SmallArchive;
afterEach(() => archive.remove());

const at = (n: number, minute: number) =>
  makePost({ key: `${n}`, createdMs: start + minute * 60_000, text: `post ${n}` });

function follow(
  after: IngestedPost | null,
  limit = 3,
): { texts: string[]; last: IngestedPost | null } {
  const texts: string[] = [];
  let last = after;
  for (;;) {
    const page = archive.reader.operations.ingestOrder({ after: last, limit });
    if (page.length === 0) return { texts, last };
    texts.push(
      ...page.flatMap((position) => archive.records([position]).map(({ Content }) => Content)),
    );
    last = page.at(-1) ?? last;
  }
}

test("a client that follows the ingest order misses no post, whenever and wherever it is stored", () => {
  archive = smallArchive(3);
  archive.put(at(1, 10), at(2, 20), at(3, 30));
  const first = follow(null);
  expect(first.texts).toEqual(["post 1", "post 2", "post 3"]);
  archive.put(at(4, 5), makePost({ nativeId: 20n, platform: "x", text: "post of x" }));
  archive.put(at(5, 40));
  const second = follow(first.last);
  expect(second.texts.toSorted()).toEqual(["post 4", "post 5", "post of x"]);
  expect(second.texts.at(-1)).toBe("post 5");
  expect(follow(second.last).texts).toEqual([]);
});

test("edits add nothing to the ingest order, and deleted posts are skipped", () => {
  archive = smallArchive();
  archive.put(at(1, 1), at(2, 2), at(3, 3));
  archive.put({ ...at(1, 1), text: "edited" });
  archive.write([
    { kind: "delete", platform: "bluesky", uri: at(2, 2).uri, revision: "3lb2ouyrqzs2a" },
  ]);
  expect(follow(null).texts).toEqual(["edited", "post 3"]);
});

test("uncommitted ingest numbers are not returned, because they may be reissued", () => {
  archive = smallArchive();
  archive.put(at(1, 1));
  const before = follow(null);
  const catalog = openCatalog(archive.folder);
  archive.put(at(2, 2));
  changeCatalog(catalog, "UPDATE setting SET value = '1' WHERE name = 'ingest_number'");
  expect(follow(before.last).texts).toEqual([]);
  archive.put(at(3, 3));
  expect(follow(before.last).texts.toSorted()).toEqual(["post 2", "post 3"]);
  catalog.close();
});

test("a position before the retained ingest order fails with ingest_order_dropped", () => {
  archive = smallArchive();
  archive.put(at(1, 1), at(2, 2), at(3, 3));
  const catalog = openCatalog(archive.folder);
  changeCatalog(catalog, "UPDATE setting SET value = '2' WHERE name = 'ingest_order_from'");
  catalog.close();
  const [, second] = archive.reader.operations.ingestOrder({ after: null, limit: 9 });
  expect(second).toBeDefined();
  expect(() =>
    archive.reader.operations.ingestOrder({
      after: { number: 1, id: 0n, platform: "x" },
      limit: 9,
    }),
  ).toThrow(expect.objectContaining({ code: "ingest_order_dropped" }));
});
