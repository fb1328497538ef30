import { Buffer } from "node:buffer";
import { xUri } from "../../posts/ids.ts";
import { type Platform, type PostCounts, platforms } from "../../posts/post.ts";
import type { PackedTexts, PreparedHandle, PreparedPost } from "../prepared.ts";
import { rowChecksum } from "../segments/checked-rows.ts";
import { createTextArena, readText } from "./text-arena.ts";

/**
 * Prepared posts in one buffer, for transfer between threads: a header of 32-bit counts, nine
 * 64-bit numbers per post, 32-bit text offsets, a byte of flags and one for the platform per post,
 * and UTF-8 texts. The last text is the authors' handles as JSON.
 */
export type PackedPosts = Uint8Array;

const headerWords = 2;
/** In order: id, hash, timeMs, observedMs, likes, reposts, replies, quotes, row checksum. */
const numbersPerPost = 9;
/** In order: uri, userId, revision, record, terms. */
const textsPerPost = 5;
const countNames = ["likes", "reposts", "replies", "quotes"] as const;

const flag = {
  hash: 1,
  timeIsCapped: 2,
  imported: 4,
  userId: 8,
  lacksHandle: 16,
  /** An X post's uri follows from its ID. */
  uriFromId: 32,
} as const;

function packedLayout(posts: number) {
  const numbers = headerWords * 4;
  const offsets = numbers + posts * numbersPerPost * 8;
  const flags = offsets + (posts * textsPerPost + 2) * 4;
  const platformNumbers = flags + posts;
  return { numbers, offsets, flags, platformNumbers, texts: platformNumbers + posts };
}

export type PostPacker = {
  add(post: PreparedPost): void;
  end(handles: readonly PreparedHandle[]): PackedPosts;
};

const initialPosts = 1_024;

export function createPostPacker(): PostPacker {
  const texts = createTextArena();
  let posts = 0;
  let longs = new BigInt64Array(initialPosts * numbersPerPost);
  let floats = new Float64Array(longs.buffer);
  let flags = new Uint8Array(initialPosts);
  let platformNumbers = new Uint8Array(initialPosts);

  function grow(): void {
    const previous = { longs, flags, platformNumbers };
    longs = new BigInt64Array(previous.longs.length * 2);
    longs.set(previous.longs);
    floats = new Float64Array(longs.buffer);
    flags = new Uint8Array(posts * 2);
    flags.set(previous.flags);
    platformNumbers = new Uint8Array(posts * 2);
    platformNumbers.set(previous.platformNumbers);
  }

  return {
    add(post) {
      if (posts === flags.length) grow();
      const ownFlags = postFlags(post);
      texts.add(ownFlags & flag.uriFromId ? "" : post.uri);
      texts.add(post.userId ?? "");
      texts.add(post.revision);
      texts.add(post.record);
      texts.add(post.terms);
      const index = posts * numbersPerPost;
      longs[index] = post.id;
      longs[index + 1] = post.hash ?? 0n;
      floats[index + 2] = post.timeMs;
      floats[index + 3] = post.observedMs;
      for (let column = 0; column < countNames.length; column += 1) {
        const name = countNames[column] as (typeof countNames)[number];
        floats[index + 4 + column] = post.counts[name] ?? Number.NaN;
      }
      floats[index + 8] = rowChecksum({ ...post.counts, ...makeRow(post) });
      flags[posts] = ownFlags;
      platformNumbers[posts] = platforms.indexOf(post.platform);
      posts += 1;
    },
    end(handles) {
      texts.add(JSON.stringify(handles));
      const { offsets, bytes } = texts.end();
      const layout = packedLayout(posts);
      const buffer = new ArrayBuffer(layout.texts + bytes.length);
      const packed = new Uint8Array(buffer);
      new Uint32Array(buffer, 0, headerWords).set([posts, bytes.length]);
      const numbers = posts * numbersPerPost;
      new BigInt64Array(buffer, layout.numbers, numbers).set(longs.subarray(0, numbers));
      new Uint32Array(buffer, layout.offsets, offsets.length).set(offsets);
      packed.set(flags.subarray(0, posts), layout.flags);
      packed.set(platformNumbers.subarray(0, posts), layout.platformNumbers);
      packed.set(bytes, layout.texts);
      return packed;
    },
  };
}

function postFlags(post: PreparedPost): number {
  return (
    (post.hash === null ? 0 : flag.hash) |
    (post.timeIsCapped ? flag.timeIsCapped : 0) |
    (post.imported ? flag.imported : 0) |
    (post.userId === null ? 0 : flag.userId) |
    (post.lacksHandle ? flag.lacksHandle : 0) |
    (post.hash === null && post.uri === xUri(post.id) ? flag.uriFromId : 0)
  );
}

const makeRow = ({ id, timeMs, revision, record }: PreparedPost) => ({
  id,
  timeMs,
  revision,
  record,
});

export function unpackPosts(packed: PackedPosts): {
  posts: PreparedPost[];
  handles: PreparedHandle[];
} {
  const { buffer, byteOffset } = packed;
  const [count = 0, textBytes = 0] = new Uint32Array(buffer, byteOffset, headerWords);
  const layout = packedLayout(count);
  const numbers = byteOffset + layout.numbers;
  const offsets = new Uint32Array(buffer, byteOffset + layout.offsets, count * textsPerPost + 2);
  const texts = Buffer.from(buffer, byteOffset + layout.texts, textBytes);
  const columns: PackedColumns = {
    longs: new BigInt64Array(buffer, numbers, count * numbersPerPost),
    floats: new Float64Array(buffer, numbers, count * numbersPerPost),
    flags: packed.subarray(layout.flags, layout.flags + count),
    platformNumbers: packed.subarray(layout.platformNumbers, layout.platformNumbers + count),
    offsets,
    texts,
  };
  const handles = readText(texts, offsets, count * textsPerPost);
  return {
    posts: Array.from({ length: count }, (_, index) => new PackedPost(columns, index)),
    handles: JSON.parse(handles),
  };
}

type PackedColumns = {
  longs: BigInt64Array;
  floats: Float64Array;
  flags: Uint8Array;
  platformNumbers: Uint8Array;
  offsets: Uint32Array;
  texts: Buffer;
};

/** A class with getters, because most texts are never decoded. */
class PackedPost implements PreparedPost {
  readonly kind = "upsert";
  readonly alias = null;
  readonly platform: Platform;
  readonly id: bigint;
  readonly hash: bigint | null;
  readonly #columns: PackedColumns;
  readonly #index: number;

  constructor(columns: PackedColumns, index: number) {
    this.#columns = columns;
    this.#index = index;
    this.platform = platforms[columns.platformNumbers[index] as number] as Platform;
    this.id = columns.longs[index * numbersPerPost] as bigint;
    const hash = columns.longs[index * numbersPerPost + 1] as bigint;
    this.hash = this.#has(flag.hash) ? hash : null;
  }

  get uri(): string {
    return this.#has(flag.uriFromId) ? xUri(this.id) : this.#text(0);
  }

  get userId(): string | null {
    return this.#has(flag.userId) ? this.#text(1) : null;
  }

  get revision(): string {
    return this.#text(2);
  }

  get record(): string {
    return this.#text(3);
  }

  get terms(): string {
    return this.#text(4);
  }

  get timeMs(): number {
    return this.#number(2);
  }

  get observedMs(): number {
    return this.#number(3);
  }

  get counts(): PostCounts {
    const count = (column: number): number | null => {
      const value = this.#number(4 + column);
      return Number.isNaN(value) ? null : value;
    };
    return { likes: count(0), reposts: count(1), replies: count(2), quotes: count(3) };
  }

  get timeIsCapped(): boolean {
    return this.#has(flag.timeIsCapped);
  }

  get imported(): boolean {
    return this.#has(flag.imported);
  }

  get lacksHandle(): boolean {
    return this.#has(flag.lacksHandle);
  }

  get packedTexts(): PackedTexts {
    return { record: this.#bytes(3), terms: this.#bytes(4), checksum: this.#number(8) };
  }

  #has(bit: number): boolean {
    return ((this.#columns.flags[this.#index] as number) & bit) !== 0;
  }

  #number(column: number): number {
    return this.#columns.floats[this.#index * numbersPerPost + column] as number;
  }

  #text(number: number): string {
    const { texts, offsets } = this.#columns;
    return readText(texts, offsets, this.#index * textsPerPost + number);
  }

  #bytes(number: number): Uint8Array {
    const { texts, offsets } = this.#columns;
    const index = this.#index * textsPerPost + number;
    return texts.subarray(offsets[index], offsets[index + 1]);
  }
}
