import { isRkey, tidMs } from "../../platforms/bluesky/at-uri.ts";
import { postCollection, postOfCommit } from "../../platforms/bluesky/post.ts";
import { isObject } from "../../platforms/fields.ts";
import type { Post } from "../../posts/post.ts";

/** A record as its repository holds it. */
export type ArchivedRecord = {
  did: string;
  rkey: string;
  record: unknown;
  /** A revision of the repository at which the record was so, or an earlier one; empty when none is known. */
  rev: string;
};

/**
 * The post of a record; null when it is none. Nobody saw it being made: the time in its key, when there is one, stands for
 * that, and `nowMs` caps it.
 */
export function postOfRecord(
  { did, rkey, record, rev }: ArchivedRecord,
  nowMs: number,
): Post | null {
  if (!isObject(record) || !isRkey(rkey)) return null;
  const keyMs = tidMs(rkey);
  const seenMs = keyMs === null ? null : Math.min(keyMs, nowMs);
  const commit = { did, collection: postCollection, rkey, rev, record, seenMs: seenMs ?? nowMs };
  return { ...postOfCommit(commit), seenMs, origin: "backfill" };
}
