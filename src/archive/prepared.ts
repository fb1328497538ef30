import type { Platform, PostCounts } from "../posts/post.ts";

/** A post ready to be stored: all analysis is done. */
export type PreparedPost = {
  kind: "upsert";
  platform: Platform;
  uri: string;
  /** Looks the uri up; null if the ID follows from the uri (X). */
  hash: bigint | null;
  /** Unless another post of its millisecond has it; an X post's own. */
  id: bigint;
  timeMs: number;
  /** No one has seen the post, and it claims a future time. */
  timeIsCapped: boolean;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  userId: string | null;
  /** Whether the post came without its author's handle. */
  lacksHandle: boolean;
  /** The first known time of existence, Unix milliseconds. */
  observedMs: number;
  record: string;
  terms: string;
  /** `hash` is for lookups. */
  alias: { hash: bigint; name: string } | null;
  packed?: PackedTexts;
};

/** UTF-8, and the checksum of the row under its own ID. */
export type PackedTexts = { record: Uint8Array; terms: Uint8Array; sum: number };

export type PreparedChange = PreparedPost | PreparedDelete;

export type PreparedDelete = {
  kind: "delete";
  platform: Platform;
  uri: string;
  hash: bigint | null;
  /** If it follows from the uri (X). */
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
