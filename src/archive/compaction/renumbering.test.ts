import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  allPostsQuery,
  changeAll,
  makeNumberedPost,
} from "../../../testkit/archives/changed-archive.ts";
import { collidingUris } from "../../../testkit/archives/colliding-uris.ts";
import { putKeyed } from "../../../testkit/archives/keyed-archive.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Post } from "../../posts/post.ts";
import type { Position } from "../archive.ts";
import { currentNumbering, readSegments } from "../catalog/catalog.ts";
import { archiveDefaults } from "../settings.ts";
import { createCompaction } from "./compaction.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { runSteps } from "./steps.ts";

let archive: SmallArchive;
let fresh: SmallArchive;
let context: CompactionContext;
beforeEach(() => {
  archive = smallArchive(100_000);
  fresh = smallArchive(100_000);
  context = compactionContext(archive.folder, archiveDefaults, { now: () => 0 });
});
afterEach(() => {
  context.catalog.close();
  archive.remove();
  fresh.remove();
});

const count = 120;

function posts(): Post[] {
  const ofBluesky = Array.from({ length: count }, (_, n) => makeNumberedPost(n)).map((post, n) => ({
    ...post,
    createdMs: (post.createdMs ?? 0) - (n % 20) * 1_000,
    seenMs: (post.seenMs ?? 0) - (n % 20) * 1_000,
  }));
  const at = (day: number) => ({
    createdMs: Date.UTC(2026, 0, day),
    seenMs: Date.UTC(2026, 0, day),
  });
  const colliding = collidingUris()
    .slice(0, 20)
    .map((uri) => makePost({ uri, ...at(2), text: "river" }));
  const ofX = Array.from({ length: 10 }, (_, n) =>
    makePost({ platform: "x", uri: `import:x:${n}`, ...at(3), text: "river", userId: null }),
  );
  return [...ofBluesky, ...colliding, ...ofX];
}

function runCompaction(): void {
  const compaction = createCompaction(context);
  while (runSteps(compaction.runNext()));
  expect(compaction.state().error).toBeNull();
}

const all = (source: SmallArchive): readonly Position[] => source.search(allPostsQuery).positions;
const readUris = (source: SmallArchive, positions: readonly Position[]): string[] =>
  source.records(positions).map(({ Metadata }) => Metadata.uri);

function visiblePosts(source: SmallArchive): unknown {
  const { positions } = source.search({ ...allPostsQuery, platforms: ["bluesky"] });
  return { positions, records: source.records(positions) };
}

describe("an archive of an earlier release", () => {
  test("an archive of an earlier release gets the IDs of a new archive, even if it is written to while it is renumbered", () => {
    putKeyed(archive.folder, posts());
    fresh.put(...posts());
    expect(all(archive)).toHaveLength(all(fresh).length);
    expect(all(archive)).not.toEqual(all(fresh));
    const compaction = createCompaction(context);
    let rounds = 0;
    for (let isBusy = true; isBusy; ) {
      const steps = compaction.runNext();
      for (;;) {
        const step = steps.next();
        if (step.done) {
          isBusy = step.value;
          break;
        }
        if (rounds >= 30) continue;
        for (const target of [archive, fresh]) changeAll(target, rounds, count);
        rounds += 1;
      }
    }
    expect(compaction.state().error).toBeNull();
    const entries = readSegments(context.catalog);
    expect(entries.every(({ numbering }) => numbering === currentNumbering)).toBe(true);
    expect(visiblePosts(archive)).toEqual(visiblePosts(fresh));
  });

  test("renumbering does not change ingest order or hidden posts", () => {
    putKeyed(archive.folder, posts());
    archive.write([
      {
        kind: "account",
        platform: "bluesky",
        userId: "did:plc:author3",
        status: "suspended",
        observedMs: 1,
      },
    ]);
    const ingestNumbers = (): [string, number][] =>
      archive.reader.operations
        .ingestOrder({ after: null, limit: 10_000 })
        .flatMap((ingested): [string, number][] => {
          const [uri] = readUris(archive, [ingested]);
          return uri === undefined ? [] : [[uri, ingested.number]];
        })
        .sort(([a], [b]) => (a < b ? -1 : 1));
    const [before, seen] = [ingestNumbers(), readUris(archive, all(archive)).sort()];
    runCompaction();
    expect(ingestNumbers()).toEqual(before);
    expect(readUris(archive, all(archive)).sort()).toEqual(seen);
    expect(seen.length).toBeLessThan(posts().length);
  });

  test.each(["not sealed", "sealed"])(
    "posts are found by their former IDs after renumbering segments that were %s",
    (form) => {
      putKeyed(archive.folder, posts());
      if (form === "sealed") archive.seal();
      const former = all(archive);
      const records = archive.records(former);
      const pages = former.map((after) => ({
        after,
        rest: new Set(readUris(archive, archive.search({ ...allPostsQuery, after }).positions)),
      }));
      const resolved = (): unknown =>
        former.map(({ id }) =>
          archive.reader.operations.resolve({ accounts: [], posts: [String(id)] }),
        );
      const names = resolved();
      runCompaction();
      archive.reopen();
      expect(all(archive)).not.toEqual(former);
      expect(archive.records(former)).toEqual(records);
      expect(resolved()).toEqual(names);
      for (const { after, rest } of pages) {
        const { positions } = archive.search({ ...allPostsQuery, after });
        expect(new Set(readUris(archive, positions))).toEqual(rest);
        expect(positions).toHaveLength(rest.size);
      }
    },
  );

  test("posts are found by the IDs of other servers before their segments are renumbered", () => {
    putKeyed(archive.folder, posts());
    fresh.put(...posts());
    const ids = all(fresh).filter(({ platform }) => platform === "bluesky");
    expect(readUris(archive, ids)).toEqual(readUris(fresh, ids));
  });

  test("a post is deleted by an alias recorded under its former ID", () => {
    const [post] = posts();
    if (post === undefined) throw new Error("no post");
    putKeyed(archive.folder, posts());
    archive.write([{ kind: "upsert", post: { ...post, revision: "2" }, alias: "status 7" }]);
    runCompaction();
    archive.write([
      { kind: "delete-stored", platform: "bluesky", name: "status 7", revision: "3" },
    ]);
    expect(readUris(archive, all(archive))).not.toContain(post.uri);
  });

  test("posts can be added to segments that are not renumbered yet", () => {
    const [first, second] = [posts().slice(0, 60), posts().slice(60)];
    putKeyed(archive.folder, first);
    archive.put(...second);
    fresh.put(...posts());
    expect(readUris(archive, all(archive)).sort()).toEqual(readUris(fresh, all(fresh)).sort());
    runCompaction();
    expect(all(archive)).toEqual(all(fresh));
  });

  test("segments of an earlier release are not copied if every post keeps its ID", () => {
    putKeyed(
      archive.folder,
      Array.from({ length: 5 }, (_, n) =>
        makePost({ platform: "x", nativeId: 1_900_000_000_000_000_000n + BigInt(n) }),
      ),
    );
    const before = readSegments(context.catalog)[0]?.sequence;
    runCompaction();
    expect(readSegments(context.catalog)[0]).toMatchObject({
      sequence: before,
      numbering: currentNumbering,
    });
  });
});
