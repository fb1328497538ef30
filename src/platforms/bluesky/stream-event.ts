import type { AccountStatus, ArchiveChange } from "../../archive/archive.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { Post } from "../../posts/post.ts";
import { asFields, isObject } from "../fields.ts";
import { isDid, isHandle, isRkey, parseAtUri } from "./at-uri.ts";
import { findStreamCollection, type StreamCollection } from "./collections.ts";
import { postCollection, readCommitPost } from "./post.ts";
import { profileKey, readProfileRecord } from "./profile.ts";
import { type CountedPost, newPostCounts, readReactions } from "./reactions.ts";

export type StreamEvent = {
  /** The event's time by the server's clock, from which streams resume. */
  timeUs: number;
  /** Equal if an event is repeated. A commit has the same key on every server. */
  key: string;
  /** Null if only the time or counts advance. */
  change: ArchiveChange | null;
  /** Posts whose counts this event increments. */
  counted: readonly CountedPost[];
  /** DID of an account whose handle may have changed. */
  accountToRefresh: string | null;
};

export type UnreadableEvent = { reason: string };

/** Never throws. Records in collections that are not followed only advance the time. */
export function readStreamEvent(
  frame: string,
  followed: ReadonlySet<StreamCollection>,
): StreamEvent | UnreadableEvent {
  let value: unknown;
  try {
    value = parseUntrustedJson(frame);
  } catch (error) {
    return { reason: `not valid JSON: ${errorMessage(error)}` };
  }
  if (!isObject(value)) return { reason: "not a JSON object" };
  const { did, time_us: timeUs, kind } = value;
  if (typeof did !== "string" || !isDid(did)) return { reason: "did: not a DID" };
  if (!isTimeUs(timeUs)) return { reason: "time_us: not a time in microseconds" };
  if (kind === "commit") return readCommit(did, timeUs, asFields(value.commit), followed);
  const event = { ...noChange, timeUs, key: `${did} ${String(kind).slice(0, 64)} ${timeUs}` };
  if (kind === "identity") return { ...event, ...readIdentity(did, timeUs, value.identity) };
  if (kind === "account") return { ...event, change: readAccount(did, timeUs, value.account) };
  return event;
}

const noChange = { change: null, counted: [], accountToRefresh: null };

/** Smaller numbers are a server's own sequence, which restarts with it. */
const isTimeUs = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1e15;

const maxRevisionLength = 64;

function readCommit(
  did: string,
  timeUs: number,
  commit: Record<string, unknown>,
  followed: ReadonlySet<StreamCollection>,
): StreamEvent | UnreadableEvent {
  const { rev, operation, collection, rkey } = commit;
  if (typeof collection !== "string") return { reason: "commit.collection: not a string" };
  if (typeof rkey !== "string" || !isRkey(rkey)) return { reason: "commit.rkey: not a record key" };
  if (typeof rev !== "string" || rev.length > maxRevisionLength) {
    return { reason: "commit.rev: not a revision" };
  }
  if (operation !== "create" && operation !== "update" && operation !== "delete") {
    return { reason: "commit.operation: not create, update or delete" };
  }
  const key = `${did} ${collection} ${rkey} ${rev} ${operation}`;
  const event = { ...noChange, timeUs, key };
  const name = findStreamCollection(collection);
  if (name === null || !followed.has(name)) return event;
  const record = operation === "delete" ? null : commit.record;
  if (operation !== "delete" && !isObject(record))
    return { reason: "commit.record: not an object" };
  const seenMs = Math.floor(timeUs / 1000);
  if (name === "profiles") {
    return rkey === profileKey ? { ...event, change: profileChange(did, record, seenMs) } : event;
  }
  if (name !== "posts") {
    // A deletion omits the subject of a reaction, so counts are an upper bound.
    return operation === "create" ? { ...event, counted: readReactions(name, record) } : event;
  }
  if (record === null) {
    const uri = `at://${did}/${postCollection}/${rkey}`;
    return { ...event, change: { kind: "delete", platform: "bluesky", uri, revision: rev } };
  }
  const post = readCommitPost({ did, collection, rkey, rev, record, seenMs });
  if (operation === "update") return { ...event, change: { kind: "upsert", post } };
  const newPost: Post = { ...post, counts: newPostCounts(followed) };
  return { ...event, change: { kind: "upsert", post: newPost }, counted: referenceCounts(post) };
}

function referenceCounts({ inReplyTo, quoted }: Post): CountedPost[] {
  const counted: CountedPost[] = [];
  const parent = inReplyTo?.uri ?? null;
  if (parent !== null && parseAtUri(parent)?.collection === postCollection) {
    counted.push({ uri: parent, metric: "replies" });
  }
  const quote = quoted?.uri ?? null;
  if (quote !== null) counted.push({ uri: quote, metric: "quotes" });
  return counted;
}

function profileChange(userId: string, record: unknown, observedMs: number): ArchiveChange {
  return { kind: "profile", platform: "bluesky", userId, observedMs, ...readProfileRecord(record) };
}

function readIdentity(
  userId: string,
  timeUs: number,
  identity: unknown,
): Pick<StreamEvent, "change" | "accountToRefresh"> {
  const { handle } = asFields(identity);
  // Sent if the handle and the DID do not resolve to each other.
  if (handle === "handle.invalid") return { change: null, accountToRefresh: null };
  if (typeof handle !== "string" || !isHandle(handle))
    return { change: null, accountToRefresh: userId };
  const observedMs = Math.floor(timeUs / 1000);
  const change = { kind: "handle", platform: "bluesky", userId, handle, observedMs } as const;
  return { change, accountToRefresh: null };
}

function readAccount(userId: string, timeUs: number, account: unknown): ArchiveChange | null {
  const { active, status } = asFields(account);
  if (typeof active !== "boolean") return null;
  return {
    kind: "account",
    platform: "bluesky",
    userId,
    status: active ? "active" : (statuses.get(status) ?? "inactive"),
    observedMs: Math.floor(timeUs / 1000),
  };
}

const statuses: ReadonlyMap<unknown, AccountStatus> = new Map(
  (["takendown", "suspended", "deleted", "deactivated"] as const).map((name) => [name, name]),
);
