import type { ArchiveChange } from "../../src/archive/archive.ts";
import type { Post } from "../../src/posts/post.ts";
import { makePost } from "../data/make-post.ts";
import type { SmallArchive } from "./small-archive.ts";

export const startMs = Date.UTC(2026, 0, 1);
const words = ["river", "stone", "harbour", "night", "東京", "привет", "snow"];

export function makeNumberedPost(n: number, overrides: Partial<Post> = {}): Post {
  return makePost({
    createdMs: startMs + n * 1_000,
    seenMs: startMs + n * 1_000,
    text: `${words[n % 7]} ${words[(n >> 2) % 7]} number ${n}`,
    userId: `did:plc:author${n % 5}`,
    username: `author${n % 5}.example.com`,
    uri: `at://did:plc:author${n % 5}/app.bsky.feed.post/k${n}`,
    revision: "1",
    origin: n % 11 === 0 ? "import" : "stream",
    counts: { likes: 0, reposts: 0, replies: 0, quotes: 0 },
    ...overrides,
  });
}

export const posts = (count: number): Post[] =>
  Array.from({ length: count }, (_, n) => makeNumberedPost(n));

export const postsWithoutIds = (count: number): Post[] =>
  Array.from({ length: count }, (_, n) =>
    makeNumberedPost(n, {
      platform: "x",
      uri: `import:x:${n}`,
      userId: null,
      origin: "import",
      revision: "",
    }),
  );

export const allPostsQuery = { plan: { kind: "all" }, limit: 10_000 } as const;
export const queries = [
  "river",
  '"stone river"',
  "東京 -snow",
  "from:author2.example.com",
  "night OR привет",
  "min_faves:10",
  "label:spam",
  "edited",
  "late -stone",
  "number -river",
];

/** All fields, query results and the ingest order. */
export function contents(archive: SmallArchive): unknown {
  const { positions } = archive.search(allPostsQuery);
  const shownIds = new Set(positions.map(({ id }) => id));
  return {
    positions,
    records: archive.records(positions),
    found: queries.map((query) => archive.query(query, { limit: 10_000 }).positions),
    ingestOrder: archive.reader.operations
      .ingestOrder({ after: null, limit: 10_000 })
      .filter(({ id }) => shownIds.has(id)),
  };
}

export const suspension = (
  author: number,
  isSuspended: boolean,
  observedMs: number,
): ArchiveChange => ({
  kind: "account",
  platform: "bluesky",
  userId: `did:plc:author${author}`,
  status: isSuspended ? "suspended" : "active",
  observedMs,
});

export const deletion = (post: Post, revision: string): ArchiveChange => ({
  kind: "delete",
  platform: post.platform,
  uri: post.uri,
  revision,
});

export function changeAll(target: SmallArchive, round: number, count: number): void {
  const revision = String(round + 2);
  const postAt = (n: number): Post => makeNumberedPost((round * 37 + n * 71) % count);
  const importedPosts = postsWithoutIds(count);
  const xPost = importedPosts[(round * 17) % count] ?? makeNumberedPost(0);
  target.write([
    { kind: "upsert", post: { ...postAt(1), text: `edited river ${round}`, revision } },
    deletion(postAt(2), revision),
    { kind: "upsert", post: { ...postAt(3), text: `again snow ${round}`, revision } },
    { kind: "count", platform: "bluesky", uri: postAt(4).uri, metric: "likes", increment: 3 },
    { kind: "upsert", post: { ...xPost, text: `edited number ${round}` } },
    deletion(importedPosts[(round * 23) % count] ?? xPost, revision),
    suspension(round % 5, round % 2 === 0, startMs + round),
    {
      kind: "label",
      platform: "bluesky",
      subject: postAt(5).uri,
      source: "did:plc:labeler",
      value: "spam",
      negated: round % 3 === 0,
      createdMs: startMs + round,
      expiresMs: null,
    },
    ...[0, 1].map((n) => ({
      kind: "upsert" as const,
      post: makeNumberedPost(round * 5 + n, {
        uri: `at://did:plc:author9/app.bsky.feed.post/late${round}-${n}`,
        text: `late stone ${round} ${n}`,
      }),
    })),
  ]);
  const { positions } = target.search({ ...allPostsQuery, platforms: ["x"] });
  const xPosition = positions[(round * 7) % positions.length];
  if (xPosition === undefined) throw new Error("no posts from X");
  const nativePost = {
    platform: "x",
    nativeId: xPosition.id,
    userId: null,
    username: "jack",
  } as const;
  target.put(makePost({ ...nativePost, text: `late number ${round}` }));
  target.addCounts();
}
