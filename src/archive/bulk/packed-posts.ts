import { Buffer } from "node:buffer";
import { xUri } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { PreparedHandle, PreparedPost } from "../prepared.ts";
import { createTextArena, readText } from "./text-arena.ts";

/**
 * Prepared posts in one buffer, so that they change threads without being copied or parsed. In its order: a head of 32-bit
 * counts, columns of 64-bit numbers (a value a post), the offsets of the texts, flags and platforms of a byte each, and the texts
 * as UTF-8. The handles of the authors are one JSON text behind those of the posts.
 */
export type PackedPosts = Uint8Array;

const wordsOfHead = 2;
/** id, hash, timeMs, observedMs, likes, reposts, replies, quotes. */
const numbersOfPost = 8;
/** uri, userId, revision, record, terms. */
const textsOfPost = 5;
const countNames = ["likes", "reposts", "replies", "quotes"] as const;

const flag = {
  hash: 1,
  timeIsCapped: 2,
  imported: 4,
  userId: 8,
  lacksHandle: 16,
  /** The uri is that of an X post, which follows from its ID. */
  uriOfId: 32,
} as const;

/** Where the parts of a buffer lie, by how many posts it has. */
function layoutOf(posts: number) {
  const numbers = wordsOfHead * 4;
  const offsets = numbers + posts * numbersOfPost * 8;
  const flags = offsets + (posts * textsOfPost + 2) * 4;
  const platformNumbers = flags + posts;
  return { numbers, offsets, flags, platformNumbers, texts: platformNumbers + posts };
}

/** Packs posts without an alias, in their order, and the handles of their authors. */
export function packPosts(
  posts: readonly PreparedPost[],
  handles: readonly PreparedHandle[],
): PackedPosts {
  const layout = layoutOf(posts.length);
  const arena = createTextArena(posts.length * textsOfPost + 1);
  for (const { hash, uri, id, userId, revision, record, terms } of posts) {
    arena.add(hash === null && uri === xUri(id) ? "" : uri);
    arena.add(userId ?? "");
    arena.add(revision);
    arena.add(record);
    arena.add(terms);
  }
  arena.add(JSON.stringify(handles));
  const { offsets, bytes } = arena.end();
  const buffer = new ArrayBuffer(layout.texts + bytes.length);
  new Uint32Array(buffer, 0, wordsOfHead).set([posts.length, bytes.length]);
  new Uint32Array(buffer, layout.offsets, offsets.length).set(offsets);
  const packed = new Uint8Array(buffer);
  packed.set(bytes, layout.texts);
  const floats = new Float64Array(buffer, layout.numbers, posts.length * numbersOfPost);
  const longs = new BigInt64Array(buffer, layout.numbers, posts.length * numbersOfPost);
  for (const [index, post] of posts.entries()) {
    const at = index * numbersOfPost;
    longs[at] = post.id;
    longs[at + 1] = post.hash ?? 0n;
    floats[at + 2] = post.timeMs;
    floats[at + 3] = post.observedMs;
    for (const [column, name] of countNames.entries()) {
      floats[at + 4 + column] = post.counts[name] ?? Number.NaN;
    }
    packed[layout.flags + index] = flagsOf(post);
    packed[layout.platformNumbers + index] = platforms.indexOf(post.platform);
  }
  return packed;
}

function flagsOf(post: PreparedPost): number {
  return (
    (post.hash === null ? 0 : flag.hash) |
    (post.timeIsCapped ? flag.timeIsCapped : 0) |
    (post.imported ? flag.imported : 0) |
    (post.userId === null ? 0 : flag.userId) |
    (post.lacksHandle ? flag.lacksHandle : 0) |
    (post.hash === null && post.uri === xUri(post.id) ? flag.uriOfId : 0)
  );
}

/** What `packPosts` packed. */
export function unpackPosts(packed: PackedPosts): {
  posts: PreparedPost[];
  handles: PreparedHandle[];
} {
  const { buffer, byteOffset, byteLength } = packed;
  const [count = 0] = new Uint32Array(buffer, byteOffset, wordsOfHead);
  const layout = layoutOf(count);
  const floats = new Float64Array(buffer, byteOffset + layout.numbers, count * numbersOfPost);
  const longs = new BigInt64Array(buffer, byteOffset + layout.numbers, count * numbersOfPost);
  const offsets = new Uint32Array(buffer, byteOffset + layout.offsets, count * textsOfPost + 2);
  const texts = Buffer.from(buffer, byteOffset + layout.texts, byteLength - layout.texts);
  const text = (number: number): string => readText(texts, offsets, number);

  function postAt(index: number): PreparedPost {
    const flags = packed[layout.flags + index] as number;
    const at = index * numbersOfPost;
    const first = index * textsOfPost;
    const id = longs[at] as bigint;
    const count = (column: number): number | null => {
      const value = floats[at + 4 + column] as number;
      return Number.isNaN(value) ? null : value;
    };
    return {
      kind: "upsert",
      platform: platforms[packed[layout.platformNumbers + index] as number] as Platform,
      uri: flags & flag.uriOfId ? xUri(id) : text(first),
      hash: flags & flag.hash ? (longs[at + 1] as bigint) : null,
      id,
      timeMs: floats[at + 2] as number,
      timeIsCapped: (flags & flag.timeIsCapped) !== 0,
      counts: { likes: count(0), reposts: count(1), replies: count(2), quotes: count(3) },
      revision: text(first + 2),
      imported: (flags & flag.imported) !== 0,
      userId: flags & flag.userId ? text(first + 1) : null,
      lacksHandle: (flags & flag.lacksHandle) !== 0,
      observedMs: floats[at + 3] as number,
      record: text(first + 3),
      terms: text(first + 4),
      alias: null,
    };
  }

  return {
    posts: Array.from({ length: count }, (_, index) => postAt(index)),
    handles: JSON.parse(text(count * textsOfPost)),
  };
}
