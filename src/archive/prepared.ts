import type { Platform, PostCounts } from "../posts/post.ts";

/** A post as the writer stores it: everything that needs the analyzer is done. */
export type PreparedPost = {
  kind: "upsert";
  platform: Platform;
  uri: string;
  /** Looks the uri up; null where the ID follows from the uri (X). */
  hash: bigint | null;
  /** The ID, where no other post of its millisecond has that number; an X post's own. */
  id: bigint;
  timeMs: number;
  /** Whether the time is only a cap: nobody has seen the post, and it claims a time to come. */
  timeIsCapped: boolean;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  /** The author's account id in lower case. */
  userId: string | null;
  /** Whether the post came without its author's handle. */
  lacksHandle: boolean;
  /** When it was there for the first time as far as is known, Unix milliseconds. */
  observedMs: number;
  record: string;
  terms: string;
  /** Its alias and the hash that looks it up; null where it has none. */
  alias: { hash: bigint; name: string } | null;
  /** Left out where they were not made yet. */
  packed?: PackedTexts;
};

/** The texts of a post as UTF-8, and the checksum of its row under its own ID. */
export type PackedTexts = { record: Uint8Array; terms: Uint8Array; sum: number };

export type PreparedChange = PreparedPost | PreparedDelete;

export type PreparedDelete = {
  kind: "delete";
  platform: Platform;
  uri: string;
  hash: bigint | null;
  /** The ID under which the post lies, where the uri tells it (X). */
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
