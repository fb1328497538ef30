import type { Platform, PostCounts } from "../posts/post.ts";

export type PreparedPost = {
  kind: "upsert";
  platform: Platform;
  uri: string;
  hash: bigint | null;
  /**
   * The preferred ID: changed if another post in the same millisecond has it. X posts keep
   * theirs.
   */
  id: bigint;
  timeMs: number;
  /** The post is unobserved and claims a future time, so `timeMs` is lower. */
  timeIsCapped: boolean;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  userId: string | null;
  lacksHandle: boolean;
  observedMs: number;
  record: string;
  terms: string;
  alias: { hash: bigint; name: string } | null;
  packedTexts?: PackedTexts;
};

/** Texts in UTF-8. `checksum` is that of the row, valid only if the post is stored under `id`. */
export type PackedTexts = { record: Uint8Array; terms: Uint8Array; checksum: number };

export type PreparedChange = PreparedPost | PreparedDelete;

export type PreparedDelete = {
  kind: "delete";
  platform: Platform;
  uri: string;
  hash: bigint | null;
  id: bigint | null;
  revision: string;
};

export type PreparedAliasDelete = {
  platform: Platform;
  name: string;
  hash: bigint;
  revision: string;
};

export type PreparedHandle = {
  platform: Platform;
  userId: string;
  handle: string;
  observedMs: number;
};
