import type { ArchiveChange } from "../../archive/archive.ts";
import { messageOf } from "../../lib/errors.ts";
import { isDid, isHandle, isRkey } from "./at-uri.ts";
import { fieldsOf, isObject } from "./fields.ts";
import { postCollection, postOfCommit } from "./post.ts";

/** An event of Jetstream's `/subscribe`, as far as it concerns the archive. */
export type StreamEvent = {
  /** The server's time of the event, Unix microseconds: the place to resume at. */
  timeUs: number;
  /** The same for the same event whenever it is sent again. */
  key: string;
  /** Null for what does not concern posts or handles. */
  change: ArchiveChange | null;
};

export type UnreadableEvent = { fault: string };

/** Reads one frame. What the form of Jetstream's events does not allow is an `UnreadableEvent`; nothing throws. */
export function readStreamEvent(frame: string): StreamEvent | UnreadableEvent {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch (fault) {
    return { fault: `not valid JSON: ${messageOf(fault)}` };
  }
  if (!isObject(value)) return { fault: "not a JSON object" };
  const { did, time_us: timeUs, kind } = value;
  if (typeof did !== "string" || !isDid(did)) return { fault: "did: not a DID" };
  if (!isTimeUs(timeUs)) return { fault: "time_us: not a time in microseconds" };
  if (kind === "commit") return readCommit(did, timeUs, fieldsOf(value.commit));
  if (kind === "identity") return readIdentity(did, timeUs, fieldsOf(value.identity));
  return { timeUs, key: `${did} ${String(kind)} ${timeUs}`, change: null };
}

/** Smaller numbers are a server's own sequence, which starts anew when the server does. */
const isTimeUs = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1e15;

function readCommit(
  did: string,
  timeUs: number,
  commit: Record<string, unknown>,
): StreamEvent | UnreadableEvent {
  const { rev, operation, collection, rkey, record } = commit;
  if (typeof collection !== "string") return { fault: "commit.collection: not a string" };
  if (typeof rkey !== "string" || !isRkey(rkey)) return { fault: "commit.rkey: not a record key" };
  if (typeof rev !== "string" || rev.length > 64) return { fault: "commit.rev: not a revision" };
  const key = `${did} ${collection} ${rkey} ${rev} ${String(operation)}`;
  if (collection !== postCollection) return { timeUs, key, change: null };
  if (operation === "delete") {
    const uri = `at://${did}/${collection}/${rkey}`;
    return { timeUs, key, change: { kind: "delete", platform: "bluesky", uri, revision: rev } };
  }
  if (operation !== "create" && operation !== "update") {
    return { fault: "commit.operation: not create, update or delete" };
  }
  if (!isObject(record)) return { fault: "commit.record: not an object" };
  const seenMs = Math.floor(timeUs / 1000);
  const post = postOfCommit({ did, collection, rkey, rev, record, seenMs });
  return { timeUs, key, change: { kind: "upsert", post } };
}

function readIdentity(
  did: string,
  timeUs: number,
  { handle }: Record<string, unknown>,
): StreamEvent {
  const key = `${did} identity ${timeUs}`;
  // `handle.invalid` is how the network says that a handle and its account do not agree.
  if (typeof handle !== "string" || !isHandle(handle) || handle === "handle.invalid") {
    return { timeUs, key, change: null };
  }
  const observedMs = Math.floor(timeUs / 1000);
  return {
    timeUs,
    key,
    change: { kind: "handle", platform: "bluesky", userId: did, handle, observedMs },
  };
}
