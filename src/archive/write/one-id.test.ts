import { parseQuery } from "@earshot/query";
import { makePlan } from "@earshot/query/plan";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../bench/measure.ts";
import { collidingUris } from "../../../testkit/archives/colliding-uris.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { lowestId, uriHash, uriNumber } from "../../posts/ids.ts";
import type { Platform, Post } from "../../posts/post.ts";
import type { Position } from "../archive.ts";

const atMs = Date.UTC(2026, 0, 1);
const plan = makePlan(parseQuery("comet").tree, {
  names: { accounts: new Map(), posts: new Map() },
  asOfMs: 0,
});

let collisions: readonly string[] = [];
beforeAll(() => {
  collisions = collidingUris();
});

const archives: SmallArchive[] = [];
afterEach(() => {
  for (const archive of archives.splice(0)) archive.remove();
});

function post(uri: string, createdMs = atMs, platform: Platform = "bluesky"): Post {
  return makePost({ platform, uri, createdMs, text: "comet", revision: "1" });
}

function manyPosts(): Post[] {
  const otherUris = Array.from(
    { length: 600 - collisions.length / 2 },
    (_, n) => `at://did:plc:author/app.bsky.feed.post/o${n}`,
  );
  return [
    ...[...collisions.slice(0, 400), ...otherUris].map((uri) => post(uri)),
    ...collisions.slice(400, 420).map((uri) => post(uri, atMs + 1)),
    ...Array.from({ length: 50 }, (_, n) => post(`https://one.example/${n}`, atMs, "mastodon")),
    ...Array.from({ length: 20 }, (_, n) =>
      post(`https://one.example/o${n}`, atMs + 2, "mastodon"),
    ),
  ];
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function filledArchive(posts: readonly Post[], seed: number, segmentPosts = 1_000): SmallArchive {
  const archive = smallArchive(segmentPosts);
  archives.push(archive);
  const random = seededRandom(seed);
  const remainingPosts = shuffle(posts, random);
  while (remainingPosts.length > 0)
    archive.put(...remainingPosts.splice(0, 1 + Math.floor(random() * 90)));
  return archive;
}

const positionName = ({ platform, id }: Position): string => `${platform} ${id}`;

function listUris(archive: SmallArchive, positions: readonly Position[]): string[] {
  return archive.records(positions).map(({ Metadata }) => Metadata.uri);
}

function pagedUris(from: readonly SmallArchive[], random: () => number, maxPosts = 50): string[] {
  const uris: string[] = [];
  for (let after: Position | null = null; ; ) {
    const archive = from[Math.floor(random() * from.length)] as SmallArchive;
    const limit = 1 + Math.floor(random() * maxPosts);
    const { positions, next } = archive.search({ plan, limit, after });
    uris.push(...listUris(archive, positions));
    if (next === null) return uris;
    after = next;
  }
}

describe("archives filled in different orders and batches", () => {
  test("archives filled in different orders and batches give every post the same ID", () => {
    const posts = manyPosts();
    const [first, second] = [filledArchive(posts, 1), filledArchive(posts, 2, 40)];
    const all = first.search({ plan, limit: 2_000 }).positions;
    expect(all).toHaveLength(posts.length);
    expect(second.search({ plan, limit: 2_000 }).positions.map(positionName)).toEqual(
      all.map(positionName),
    );
    expect(listUris(second, all)).toEqual(listUris(first, all));
    const ofUri = new Map(
      all.map((position, index) => [listUris(first, all)[index], position.id] as const),
    );
    const numbers = Map.groupBy(
      posts.filter(({ platform, createdMs }) => platform === "bluesky" && createdMs === atMs),
      ({ uri }) => uriNumber(uri),
    );
    for (const [number, group] of numbers) {
      const [lowest] = group
        .map(({ uri }) => uri)
        .sort((a, b) => (uriHash(a) < uriHash(b) ? -1 : 1));
      expect(ofUri.get(lowest ?? "")).toBe(lowestId(atMs) | number);
    }
  });

  test("a search can be paged across archives filled in different orders without losing or repeating posts", () => {
    const posts = manyPosts();
    const allArchives = [
      filledArchive(posts, 3),
      filledArchive(posts, 4, 100),
      filledArchive(posts, 5),
    ];
    const expectedUris = listUris(
      allArchives[0] as SmallArchive,
      allArchives[0]?.search({ plan, limit: 2_000 }).positions ?? [],
    );
    for (let seed = 10; seed < 16; seed += 1) {
      expect(pagedUris(allArchives, seededRandom(seed))).toEqual(expectedUris);
    }
  });

  test("a search can be paged across archives that each lack some posts", () => {
    const posts = manyPosts();
    const random = seededRandom(7);
    const missingPosts = posts.filter(() => random() < 0.1);
    const remainingPosts = posts.filter((other) => !missingPosts.includes(other));
    const [first, second] = [filledArchive(posts, 8), filledArchive(posts, 9)];
    for (const { uri, platform } of missingPosts) {
      const archive = random() < 0.5 ? first : second;
      archive.write([{ kind: "delete", platform, uri, revision: "2" }]);
    }
    const third = filledArchive(remainingPosts, 11);
    for (let seed = 20; seed < 26; seed += 1) {
      const uris = pagedUris([first, second, third], seededRandom(seed), 20);
      expect(new Set(uris).size).toBe(uris.length);
      const knownUris = new Set(uris);
      expect(remainingPosts.filter(({ uri }) => !knownUris.has(uri))).toEqual([]);
    }
  });

  test("a search is paged without losing or repeating posts while new posts move others", () => {
    const [first, second] = [collisions.slice(0, 100), collisions.slice(100, 200)];
    const archive = filledArchive(
      [...first, ...second].filter((_, n) => n % 2 === 1).map((uri) => post(uri)),
      1,
    );
    const urisBefore = new Set(listUris(archive, archive.search({ plan, limit: 500 }).positions));
    const lateUris = [...first, ...second].filter((uri) => !urisBefore.has(uri));
    const seenUris: string[] = [];
    for (let after: Position | null = null; ; ) {
      const { positions, next } = archive.search({ plan, limit: 7, after });
      seenUris.push(...listUris(archive, positions));
      if (next === null) break;
      after = next;
      archive.put(...lateUris.splice(0, 9).map((uri) => post(uri)));
    }
    expect(new Set(seenUris).size).toBe(seenUris.length);
    expect([...urisBefore].filter((uri) => !seenUris.includes(uri))).toEqual([]);
  });
});

test("sealed posts are renumbered as if all posts of their millisecond had arrived at once", () => {
  const posts = manyPosts();
  const archive = filledArchive(
    posts.filter((_, n) => n % 2 === 0),
    1,
  );
  archive.seal();
  archive.put(...posts.filter((_, n) => n % 2 === 1));
  const freshArchive = filledArchive(posts, 2);
  const { positions } = archive.search({ plan, limit: 2_000 });
  expect(positions).toEqual(freshArchive.search({ plan, limit: 2_000 }).positions);
  expect(listUris(archive, positions)).toEqual(listUris(freshArchive, positions));
});

test("a moved post can be edited, counted and deleted by its alias", () => {
  const pair = collisions.slice(0, 2).sort((a, b) => (uriHash(a) < uriHash(b) ? -1 : 1));
  const [earlyUri = "", lateUri = ""] = pair;
  const archive = filledArchive([], 1);
  archive.write([{ kind: "upsert", post: post(lateUri), alias: "late@one" }]);
  archive.write([
    { kind: "upsert", post: post(earlyUri) },
    { kind: "upsert", post: { ...post(lateUri), text: "comet edited", revision: "2" } },
    { kind: "count", platform: "bluesky", uri: lateUri, metric: "likes", increment: 3 },
  ]);
  archive.addCounts();
  const { positions } = archive.search({ plan });
  expect(positions.map(({ id }) => id - lowestId(atMs))).toEqual([
    uriNumber(lateUri) + 1n,
    uriNumber(earlyUri),
  ]);
  expect(archive.records(positions)).toMatchObject([
    { Content: "comet edited", Metadata: { uri: lateUri, public_metrics: { like_count: 3 } } },
    { Metadata: { uri: earlyUri } },
  ]);
  archive.write([{ kind: "delete-stored", platform: "bluesky", name: "late@one", revision: "3" }]);
  expect(listUris(archive, archive.search({ plan }).positions)).toEqual([earlyUri]);
});
