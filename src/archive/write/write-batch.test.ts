import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn, type PlanNode } from "@earshot/query/plan";
import { afterEach, describe, expect, test } from "vitest";
import {
  openSecondCatalog,
  type SmallArchive,
  smallArchive,
} from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { lowestId, numberedId } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import type { ArchiveChange } from "../archive.ts";
import { segmentPath } from "../catalog/catalog.ts";

const start = Date.UTC(2026, 0, 1);
const everything = { plan: { kind: "all" } } as const;
let archive: SmallArchive;
afterEach(() => archive.remove());

const upsert = (post: Post): ArchiveChange => ({ kind: "upsert", post });
const remove = (post: Post, revision: string): ArchiveChange => ({
  kind: "delete",
  platform: post.platform,
  uri: post.uri,
  revision,
});
const streamedPost = (overrides: Parameters<typeof makePost>[0]) =>
  makePost({ origin: "stream", ...overrides });

function contents(): string[] {
  const { positions } = archive.search(everything);
  return archive.reader.operations
    .records(positions)
    .records.map((text) => (JSON.parse(text) as { Content: string }).Content);
}

const ids = (): bigint[] => archive.search(everything).positions.map(({ id }) => id);

test("a full archive refuses every imported batch, and accepts posts from a stream", () => {
  archive = smallArchive(10, () => 0, 1, 1);
  for (let batch = 0; batch < 3; batch += 1) {
    expect(() => archive.put(makePost({ key: `${batch}` }))).toThrow(
      expect.objectContaining({ code: "archive_full" }),
    );
  }
  expect(archive.put(streamedPost({ key: "streamed" }))).toMatchObject({ inserted: 1 });
});

describe("identity", () => {
  test("posts with the same uri are stored once", () => {
    archive = smallArchive();
    const post = makePost();
    expect(archive.put(post)).toMatchObject({ inserted: 1, unchanged: 0 });
    expect(archive.put(post)).toMatchObject({ inserted: 0, unchanged: 1 });
    expect(contents()).toEqual(["a plain post"]);
  });

  test("a post that is sent again with a different time keeps its ID, in any segment", () => {
    archive = smallArchive(2);
    const posts = [0, 1, 2, 3, 4, 5].map((n) => makePost({ key: `${n}`, createdMs: start + n }));
    archive.put(...posts);
    const idsBefore = ids();
    archive.put(makePost({ key: "1", createdMs: start + 50_000, text: "moved in time" }));
    expect(ids()).toEqual(idsBefore);
    expect(contents().filter((text) => text === "moved in time")).toHaveLength(1);
    const lateAnswer = archive.search({ ...everything, fromMs: start + 50_000 });
    expect(lateAnswer.positions).toEqual([{ id: idsBefore[4], platform: "bluesky" }]);
  });

  test("a post moves to another ID when an X post with that native ID arrives", () => {
    archive = smallArchive();
    const first = makePost({ key: "first" });
    archive.put(first);
    const [usedId] = ids();
    const native = makePost({
      platform: "x",
      nativeId: usedId ?? 0n,
      userId: null,
      username: "someone",
      text: "under its native ID",
    });
    const hashed = makePost({ platform: "x", uri: "import:x:1", text: "under a hash" });
    archive.put(hashed);
    const [{ id } = { id: 0n }] = archive.search({ ...everything, platforms: ["x"] }).positions;
    archive.put({ ...native, nativeId: id, uri: `https://x.com/i/status/${id}` });
    const onX = archive.search({ ...everything, platforms: ["x"] }).positions;
    expect(onX).toHaveLength(2);
    expect(onX.map((position) => position.id)).toContain(id);
    archive.put({ ...hashed, text: "changed" });
    archive.write([remove({ ...native, uri: `https://x.com/i/status/${id}` }, "")]);
    expect(contents().sort()).toEqual(["a plain post", "changed"]);
  });

  test.each([
    ["edits", ["edited", "under its native ID"]],
    ["deletes", ["under its native ID"]],
  ])(
    "a batch that %s a post and adds one that displaces it applies both changes",
    (action, remainingTexts) => {
      archive = smallArchive();
      const hashed = makePost({ platform: "x", uri: "import:x:1", text: "under a hash" });
      archive.put(hashed);
      const [id = 0n] = ids();
      const native = makePost({
        platform: "x",
        nativeId: id,
        uri: `https://x.com/i/status/${id}`,
        text: "under its native ID",
      });
      const change =
        action === "edits" ? upsert({ ...hashed, text: "edited" }) : remove(hashed, "");
      archive.write([change, upsert(native)]);
      expect(contents().sort()).toEqual(remainingTexts);
      archive.put({ ...hashed, text: "a later version" });
      const later = action === "edits" ? "a later version" : "under its native ID";
      expect(contents().sort()[0]).toBe(later);
      expect(ids()).toHaveLength(remainingTexts.length);
    },
  );

  test("X posts keep native IDs beyond 2^53 and from before snowflakes", () => {
    archive = smallArchive();
    const x = { platform: "x", userId: null, username: "jack" } as const;
    const first = Date.UTC(2006, 2, 21, 20, 50, 14);
    archive.put(
      makePost({ ...x, nativeId: 1157939227653046272n, createdMs: Date.UTC(2019, 7, 4, 9) }),
      makePost({ ...x, nativeId: 20n, createdMs: first, seenMs: null }),
    );
    expect(ids()).toEqual([1157939227653046272n, 20n]);
    const oldAnswer = archive.search({ ...everything, fromMs: first, toMs: first + 1 });
    expect(oldAnswer.positions).toEqual([{ id: 20n, platform: "x" }]);
  });

  test("posts from the years 1, 1970 and 2009 are found", () => {
    archive = smallArchive();
    const years = [1, 1970, 2009].map((year) => {
      const date = new Date(0);
      date.setUTCFullYear(year, 5, 1);
      return date.getTime();
    });
    archive.put(...years.map((createdMs, n) => makePost({ key: `${n}`, createdMs })));
    for (const ms of years) {
      expect(archive.search({ ...everything, fromMs: ms, toMs: ms + 1 }).positions).toHaveLength(1);
    }
  });
});

describe("segments", () => {
  test("a new segment is started when the newest one is full, and a late post is found in ID order", () => {
    archive = smallArchive(3);
    archive.put(
      ...Array.from({ length: 10 }, (_, n) => makePost({ key: `${n}`, createdMs: start + n })),
    );
    const files = [1, 2, 3, 4].map((n) => join(archive.folder, "bluesky", `00000${n}.db`));
    expect(files.map((file) => existsSync(file))).toEqual([true, true, true, true]);
    expect(ids()).toHaveLength(10);
    archive.put(makePost({ key: "late", createdMs: start + 1, text: "late" }));
    expect(contents()).toContain("late");
    expect(ids()).toEqual(ids().toSorted((a, b) => (a < b ? 1 : -1)));
  });

  test("posts in the same millisecond are still recognised as stored after a new segment is started", () => {
    archive = smallArchive(2);
    archive.put(...[1, 2, 3, 4, 5].map((n) => makePost({ key: `${n}`, createdMs: start })));
    archive.put(
      makePost({ key: "6", createdMs: start }),
      makePost({ key: "7", createdMs: start + 1 }),
    );
    expect(ids()).toHaveLength(7);
    const repeatReport = archive.put(
      ...[1, 6].map((n) => makePost({ key: `${n}`, createdMs: start })),
    );
    expect(repeatReport.unchanged).toBe(2);
  });

  test("an unsorted batch yields the same posts in the same order as a sorted one", () => {
    const posts = Array.from({ length: 30 }, (_, n) =>
      makePost({ key: `${n}`, createdMs: start + n }),
    );
    archive = smallArchive(7);
    archive.put(...posts);
    const sortedContents = contents();
    archive.remove();
    archive = smallArchive(7);
    archive.put(...posts.toSorted((a, b) => (a.uri < b.uri ? 1 : -1)));
    expect(contents()).toEqual(sortedContents);
  });

  test("all posts are present after the files are reopened", () => {
    archive = smallArchive(3);
    archive.put(...[1, 2, 3, 4].map((n) => makePost({ key: `${n}`, createdMs: start + n })));
    const idsBefore = ids();
    archive.reopen();
    expect(ids()).toEqual(idsBefore);
    expect(archive.put(makePost({ key: "4", createdMs: start + 4 })).unchanged).toBe(1);
  });

  test("a batch that repeats a stored post adds only its new posts, across segments", () => {
    archive = smallArchive(2);
    const posts = [1, 2, 3].map((n) => makePost({ key: `${n}`, createdMs: start + n }));
    archive.put(...posts.slice(0, 1));
    archive.put(...posts);
    expect(ids()).toHaveLength(3);
  });

  test("an orphaned segment file that a crash left is replaced", () => {
    const nextSegment = (folder: string): string =>
      segmentPath(folder, { platform: "bluesky", sequence: 2 });
    const postsNamed = (prefix: string) =>
      [1, 2, 3].map((n) => makePost({ key: `${prefix}${n}`, createdMs: start + n }));
    archive = smallArchive(2);
    const posts = postsNamed("kept");
    archive.put(...posts.slice(0, 2));
    const other = smallArchive(2);
    other.put(...postsNamed("orphan"));
    cpSync(nextSegment(other.folder), nextSegment(archive.folder));
    other.remove();
    archive.put(...posts.slice(2));
    expect(existsSync(nextSegment(archive.folder))).toBe(true);
    expect(ids()).toHaveLength(3);
  });
});

describe("deleting", () => {
  const post = streamedPost({ key: "gone", revision: "3aaa" });

  test("deleting a post removes it from search results", () => {
    archive = smallArchive();
    archive.put(post);
    expect(archive.write([remove(post, "3bbb")])).toMatchObject({ deleted: 1 });
    expect(contents()).toEqual([]);
  });

  test("deleting a post before it arrives rejects it, even in a replay", () => {
    archive = smallArchive();
    archive.write([remove(post, "3bbb")]);
    expect(archive.put(post)).toMatchObject({ inserted: 0, suppressed: 1 });
    archive.reopen();
    expect(archive.put(post, { ...post, origin: "import", revision: "" })).toMatchObject({
      inserted: 0,
    });
    expect(contents()).toEqual([]);
  });

  test("deleting a post at an earlier revision than the stored one removes nothing", () => {
    archive = smallArchive();
    archive.put({ ...post, revision: "3ccc" });
    expect(archive.write([remove(post, "3bbb")])).toMatchObject({ deleted: 0, unchanged: 1 });
    expect(contents()).toHaveLength(1);
  });

  test("deleting a post in the batch that contains it, in either order, leaves nothing", () => {
    archive = smallArchive();
    archive.write([upsert(post), remove(post, "3bbb")]);
    archive.write([remove(post, "3bbb"), upsert(post)]);
    expect(contents()).toEqual([]);
  });

  test("deleting a post without a revision rejects every import of it", () => {
    archive = smallArchive();
    const imported = makePost({ key: "file" });
    archive.put(imported);
    archive.write([remove(imported, "")]);
    expect(archive.put(imported)).toMatchObject({ inserted: 0, suppressed: 1 });
    expect(contents()).toEqual([]);
  });

  test("a later revision restores a deleted post", () => {
    archive = smallArchive();
    archive.write([remove(post, "3bbb")]);
    archive.put({ ...post, revision: "3ccc", text: "written again" });
    expect(contents()).toEqual(["written again"]);
  });
});

describe("editing", () => {
  test("an edit replaces text and terms, and an older revision changes nothing", () => {
    archive = smallArchive();
    archive.put(streamedPost({ revision: "3aaa", text: "first words" }));
    expect(archive.put(streamedPost({ revision: "3bbb", text: "second words" })).updated).toBe(1);
    expect(archive.put(streamedPost({ revision: "3aaa", text: "first words" })).unchanged).toBe(1);
    expect(contents()).toEqual(["second words"]);
    const word = (token: string) =>
      archive.search({ plan: { kind: "terms", elements: [{ kind: "token", token }] } }).positions;
    expect(word("first")).toHaveLength(0);
    expect(word("second")).toHaveLength(1);
  });

  test("an observed version overrides an import, and is never overridden by one", () => {
    archive = smallArchive();
    archive.put(makePost({ text: "imported" }));
    archive.put(streamedPost({ text: "observed", revision: "3aaa" }));
    archive.put(makePost({ text: "imported again" }));
    expect(contents()).toEqual(["observed"]);
  });

  test("an edit keeps counts that the source does not report", () => {
    archive = smallArchive();
    const counts = { likes: 5, reposts: null, replies: null, quotes: 0 };
    archive.put(makePost({ counts }));
    archive.put(streamedPost({ revision: "3aaa" }));
    const { records } = archive.reader.operations.records(archive.search(everything).positions);
    const [record = "{}"] = records;
    expect(JSON.parse(record).Metadata.public_metrics).toEqual({
      like_count: 5,
      retweet_count: null,
      reply_count: null,
      quote_count: 0,
    });
  });
});

describe("later version without counts", () => {
  test("a later version without counts is found by the counts already stored", () => {
    archive = smallArchive();
    archive.put(makePost({ counts: { likes: 500, reposts: null, replies: null, quotes: null } }));
    archive.put(makePost({ text: "another text" }));
    const liked: PlanNode = { kind: "min-count", metric: "likes", atLeast: 100 };
    expect(archive.search({ plan: liked }).positions).toHaveLength(1);
    expect(archive.search({ plan: { kind: "not", child: liked } }).positions).toHaveLength(0);
  });

  test("a later version changes nothing if only the capped time differs", () => {
    archive = smallArchive();
    const future = makePost({
      platform: "mastodon",
      uri: "m:1",
      createdMs: Date.UTC(2999, 0, 1),
      seenMs: null,
    });
    archive.put(future);
    archive.advanceCap(1_000);
    expect(archive.put(future)).toMatchObject({ updated: 0, unchanged: 1 });
  });
});

describe("other data of a batch", () => {
  test("checkpoints and coverage are saved with the batch, and adjacent intervals are merged", () => {
    archive = smallArchive();
    const interval = {
      platform: "bluesky",
      collection: "posts" as const,
      account: null,
      source: "jetstream",
    } as const;
    archive.write([], {
      checkpoints: [{ name: "cursor", value: "1" }],
      coverage: [{ ...interval, fromMs: 10, toMs: 20 }],
    });
    archive.write([], {
      checkpoints: [{ name: "cursor", value: "2" }],
      coverage: [
        { ...interval, fromMs: 20, toMs: 30 },
        { ...interval, fromMs: 50, toMs: 60 },
      ],
    });
    expect(archive.reader.operations.readCheckpoint("cursor")).toBe("2");
    expect(archive.reader.operations.coverage()).toEqual([
      {
        platform: "bluesky",
        hasPosts: false,
        intervals: [
          { ...interval, fromMs: 10, toMs: 30 },
          { ...interval, fromMs: 50, toMs: 60 },
        ],
      },
    ]);
  });

  test("a handle resolves to every account that has had it, and an account id to its handles", () => {
    archive = smallArchive();
    archive.write([
      {
        kind: "handle",
        platform: "bluesky",
        userId: "did:plc:a",
        handle: "Old.example",
        observedMs: 1,
      },
      {
        kind: "handle",
        platform: "bluesky",
        userId: "did:plc:a",
        handle: "new.example",
        observedMs: 2,
      },
      {
        kind: "handle",
        platform: "bluesky",
        userId: "did:plc:b",
        handle: "old.example",
        observedMs: 3,
      },
    ]);
    const { accounts } = archive.reader.operations.resolve({
      accounts: ["old.example", "did:plc:a", "nobody"],
      posts: [],
    });
    const onBluesky = (name: string) =>
      accounts
        .get(name)
        ?.filter((account) => account.startsWith("bluesky/"))
        .toSorted();
    expect(onBluesky("old.example")).toEqual([
      "bluesky/@old.example",
      "bluesky/did:plc:a",
      "bluesky/did:plc:b",
    ]);
    expect(onBluesky("did:plc:a")).toEqual([
      "bluesky/?new.example",
      "bluesky/?old.example",
      "bluesky/@did:plc:a",
      "bluesky/did:plc:a",
    ]);
    expect(accounts.get("nobody")).toContain("x/@nobody");
  });

  test("a post without a handle shows the latest handle of its account, or the account id if there is none", () => {
    archive = smallArchive();
    archive.put(streamedPost({ username: "", revision: "3a" }));
    const username = () =>
      JSON.parse(
        archive.reader.operations.records(archive.search(everything).positions).records[0] ?? "{}",
      ).Metadata.username;
    expect(username()).toBe("did:plc:author");
    archive.write([
      {
        kind: "handle",
        platform: "bluesky",
        userId: "did:plc:author",
        handle: "now.example",
        observedMs: 9,
      },
    ]);
    expect(username()).toBe("now.example");
  });
});

describe("accounts", () => {
  const from = (name: string): PlanNode => {
    const { tree } = parseQuery(`from:${name}`);
    return makePlan(tree, { names: archive.reader.operations.resolve(namesIn(tree)), asOfMs: 0 });
  };
  const foundTexts = (name: string): string[] => {
    const { positions } = archive.search({ plan: from(name) });
    return archive.reader.operations
      .records(positions)
      .records.map((text) => (JSON.parse(text) as { Content: string }).Content)
      .sort();
  };

  test("accounts with the same id on different platforms, and handles that look like ids, are not confused", () => {
    archive = smallArchive();
    archive.put(
      makePost({
        platform: "mastodon",
        uri: "m:1",
        userId: "1",
        username: "alice@a.example",
        text: "alice",
      }),
      makePost({ platform: "x", uri: "x:1", userId: "1", username: "carol", text: "carol" }),
      makePost({ platform: "x", uri: "x:2", userId: "7", username: "12345", text: "digits" }),
      makePost({ platform: "x", uri: "x:3", userId: "12345", username: "other", text: "other" }),
    );
    expect(foundTexts("alice@a.example")).toEqual(["alice"]);
    expect(foundTexts("carol")).toEqual(["carol"]);
    expect(foundTexts("12345")).toEqual(["digits"]);
    expect(foundTexts("7")).toEqual(["digits"]);
  });

  test("posts of other accounts cannot change an account's handle", () => {
    archive = smallArchive();
    archive.write([
      {
        kind: "handle",
        platform: "bluesky",
        userId: "did:plc:jay",
        handle: "jay.example",
        observedMs: start,
      },
    ]);
    archive.put(
      streamedPost({
        uri: "at://did:plc:jay/c/1",
        userId: "did:plc:jay",
        username: "",
        text: "mine",
        revision: "3a",
      }),
      streamedPost({
        uri: "at://did:plc:evil/c/1",
        userId: "did:plc:evil",
        username: "",
        text: "send me coins",
        revision: "3a",
        createdMs: start + 9,
        mentions: [
          { username: "jay.example", userId: "did:plc:evil" },
          { username: "clown.example", userId: "did:plc:jay" },
        ],
      }),
    );
    expect(foundTexts("jay.example")).toEqual(["mine"]);
    const names = archive.reader.operations
      .records(archive.search(everything).positions)
      .records.map((text) => JSON.parse(text).Metadata.username);
    expect(names.sort()).toEqual(["did:plc:evil", "jay.example"]);
  });

  test("a post without a handle shows the observed handle, not an imported one", () => {
    archive = smallArchive();
    archive.write([
      {
        kind: "handle",
        platform: "bluesky",
        userId: "did:plc:author",
        handle: "seen.example",
        observedMs: 5,
      },
    ]);
    archive.put(makePost({ key: "imported", username: "file.example" }));
    archive.put(streamedPost({ key: "live", username: "", revision: "3a" }));
    const names = archive.reader.operations
      .records(archive.search(everything).positions)
      .records.map((text) => JSON.parse(text).Metadata.username);
    expect(names.sort()).toEqual(["file.example", "seen.example"]);
  });
});

describe("hostile files and crashes", () => {
  test("a post with the highest ID does not prevent later writes", () => {
    archive = smallArchive(2);
    const x = { platform: "x", userId: null, username: "a" } as const;
    archive.put(makePost({ ...x, nativeId: 2n ** 63n - 1n, text: "last" }));
    for (let n = 0n; n < 6n; n++) {
      archive.put(makePost({ ...x, nativeId: 1157939227653046272n + (n << 22n), text: `${n}` }));
    }
    expect(contents()).toHaveLength(7);
  });

  test("a failed batch leaves no open writer on a file that another process replaces", () => {
    archive = smallArchive(2);
    archive.put(makePost({ key: "1", createdMs: start }));
    const posts = [2, 3, 4].map((n) => makePost({ key: `${n}`, createdMs: start + n }));
    const brokenInterval = {
      platform: "bluesky" as const,
      collection: "posts" as const,
      account: null,
      source: "s",
      fromMs: Number.NaN,
      toMs: 1,
    };
    expect(() => archive.write(posts.map(upsert), { coverage: [brokenInterval] })).toThrow();
    const other = openSecondCatalog(archive);
    other.put(...posts);
    other.close();
    expect(archive.put(...posts, makePost({ key: "5", createdMs: start + 5 }))).toMatchObject({
      inserted: 1,
      unchanged: 3,
    });
    expect(ids()).toHaveLength(5);
  });

  test("a post whose ID contains no time is found by its claimed time", () => {
    archive = smallArchive();
    archive.put(
      makePost({
        platform: "x",
        nativeId: 5n,
        userId: null,
        username: "a",
        seenMs: null,
        createdMs: start,
      }),
    );
    expect(
      archive.search({ ...everything, fromMs: start, toMs: start + 1 }).positions,
    ).toHaveLength(1);
  });
});

test("a post's ID contains its time", () => {
  archive = smallArchive();
  archive.put(makePost({ createdMs: start }));
  const [id = 0n] = ids();
  expect(id >= lowestId(start) && id < numberedId(start + 1, 0n)).toBe(true);
});
