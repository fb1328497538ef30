import { isRkey, tidMs } from "../../platforms/bluesky/at-uri.ts";
import { postCollection, readCommitPost } from "../../platforms/bluesky/post.ts";
import { isObject } from "../../platforms/fields.ts";
import type { Post } from "../../posts/post.ts";

export type RepositoryRecord = {
  did: string;
  rkey: string;
  record: unknown;
  /** The repository's revision when the record was read, or an earlier one; empty if unknown. */
  rev: string;
};

export function readRecordPost(
  { did, rkey, record, rev }: RepositoryRecord,
  nowMs: number,
): Post | null {
  if (!isObject(record) || !isRkey(rkey)) return null;
  const keyMs = tidMs(rkey);
  const seenMs = keyMs === null ? null : Math.min(keyMs, nowMs);
  const commit = { did, collection: postCollection, rkey, rev, record, seenMs: seenMs ?? nowMs };
  return { ...readCommitPost(commit), seenMs, origin: "backfill" };
}
