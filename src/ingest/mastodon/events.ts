import type { ArchiveChange } from "../../archive/archive.ts";
import { fieldsOf, isObject } from "../../platforms/fields.ts";
import { namesOfAccount, readId } from "../../platforms/mastodon/account.ts";
import { mayBeIndexed, postOfStatus } from "../../platforms/mastodon/post.ts";
import type { Post } from "../../posts/post.ts";
import { importedUri } from "../../posts/references.ts";
import { parseJsonLine } from "../import/json-line.ts";
import type { Frame } from "../streams/frames.ts";

/** What an event of the stream comes to. */
export type MastodonEvent =
  | {
      kind: "event";
      changes: readonly ArchiveChange[];
      isLeftOut: boolean;
      /** The status that it is about; null where there is none. */
      statusId: string | null;
    }
  /** The server does not stream: the status with which it says so, where it has one. */
  | { kind: "refusal"; status: number | null };

export type SeenAt = {
  /** Host and port of the server, in lower case. */
  host: string;
  /** When the event came, Unix milliseconds. */
  nowMs: number;
};

/** A status holds accounts, media and a quoted status with the same, each a few levels deep. */
const mostDepth = 24;
/** Later than every edit: the post does not come back. */
const lastRevision = "~";

/**
 * Reads one frame of a Mastodon server's public stream, https://docs.joinmastodon.org/methods/streaming/. What concerns no post
 * (filters, announcements, events of later versions) is an event without changes. Null is a frame that cannot be read; nothing
 * throws.
 *
 * Only what `mayBeIndexed` lets in becomes a post. An edit after which it does not deletes the post, until a later edit; an
 * account that says it is not to be found is hidden with everything that is held of it, until it says otherwise.
 */
export function readMastodonEvent({ data, isBinary }: Frame, seen: SeenAt): MastodonEvent | null {
  const frame = isBinary ? null : parsed(data);
  if (!isObject(frame)) return null;
  const { event, payload, error, status } = frame;
  if (event === undefined && error !== undefined) {
    return { kind: "refusal", status: Number.isSafeInteger(status) ? Number(status) : null };
  }
  if (typeof event !== "string") return null;
  if (event === "delete") return readDelete(payload, seen);
  if (event !== "update" && event !== "status.update") return nothing;
  const told = typeof payload === "string" ? parsed(Buffer.from(payload)) : payload;
  return isObject(told) ? readStatus(told, event, seen) : null;
}

const nothing: MastodonEvent = { kind: "event", changes: [], isLeftOut: false, statusId: null };

function parsed(bytes: Buffer): unknown {
  try {
    return parseJsonLine(bytes, mostDepth);
  } catch {
    return null;
  }
}

/** The alias that the post of a status is stored with: the id of the status and its server. */
export const statusAlias = (id: string, host: string): string => importedUri("mastodon", id, host);

/** The id of a status in its alias; null where that is of another server. */
export function statusIdIn(alias: string, host: string): string | null {
  const id = alias.slice(importedUri("mastodon", "").length, -(host.length + 1));
  return statusAlias(id, host) === alias ? readId(id) : null;
}

function readDelete(payload: unknown, seen: SeenAt): MastodonEvent | null {
  const id = readId(typeof payload === "number" ? String(payload) : payload);
  if (id === null) return null;
  return {
    kind: "event",
    changes: [deletion(statusAlias(id, seen.host), lastRevision)],
    isLeftOut: false,
    statusId: id,
  };
}

/** A status of the server's timeline, as if the stream had reported it; null for what is none. */
export const readMissedStatus = (status: unknown, seen: SeenAt): MastodonEvent | null =>
  isObject(status) ? readStatus(status, "update", seen) : null;

function readStatus(
  status: Record<string, unknown>,
  event: "update" | "status.update",
  seen: SeenAt,
): MastodonEvent | null {
  const { host: instance, nowMs: seenMs } = seen;
  const told = postOfStatus(status, { instance, seenMs, origin: "stream" });
  const id = readId(status.id);
  if (told === null || id === null) return null;
  const post = event === "update" ? told : { ...told, revision: revisionOf(told, seenMs) };
  const ofAccounts = [...wishOf(status, seen), ...wishOf(status.reblog, seen)];
  const alias = statusAlias(id, seen.host);
  if (mayBeIndexed(status)) {
    const changes: readonly ArchiveChange[] = [
      { kind: "looked-up", platform: "mastodon", userId: post.userId ?? "", atMs: seenMs },
      ...ofAccounts,
      { kind: "upsert", post, alias },
    ];
    return { kind: "event", changes, isLeftOut: false, statusId: id };
  }
  const revision = post.revision || lastRevision;
  const deletions =
    event === "update" ? [] : [deletion(alias, revision), deletion(post.uri, revision)];
  return {
    kind: "event",
    changes: [...ofAccounts, ...deletions],
    isLeftOut: true,
    statusId: id,
  };
}

/** Not only edits are told of, other news come with the time of the last one: what is told later counts. */
const revisionOf = ({ revision }: Post, seenMs: number): string =>
  revision === "" ? "" : `${revision} ${new Date(seenMs).toISOString()}`;

const deletion = (name: string, revision: string): ArchiveChange => ({
  kind: "delete-held",
  platform: "mastodon",
  name,
  revision,
});

/**
 * The changes that a stored status comes to when it is read again: what it says now, by its last edit. An account that may no
 * longer be found is hidden; a status that is no longer public is deleted.
 */
export function readAgain(status: unknown, seen: SeenAt): readonly ArchiveChange[] {
  if (!isObject(status)) return [];
  const wishes = [...wishOf(status, seen), ...wishOf(status.reblog, seen)];
  const isHidden = wishes.some((wish) => wish.kind === "account" && wish.status === "opted-out");
  const event = readStatus(
    status,
    isHidden || mayBeIndexed(status) ? "update" : "status.update",
    seen,
  );
  return event?.kind === "event" ? event.changes : [];
}

/**
 * Whether the account of a status may be found: it has agreed, and not taken that back. A server that does not say so has not asked
 * it. Applies to accounts with stored posts, so one that never agreed is not noted.
 */
function wishOf(status: unknown, { host, nowMs: observedMs }: SeenAt): ArchiveChange[] {
  const { account } = fieldsOf(status);
  const { indexable, noindex } = fieldsOf(account);
  const userId = namesOfAccount(account, host)?.userId;
  if (userId === undefined) return [];
  const wish = indexable === true && noindex !== true ? "active" : "opted-out";
  return [{ kind: "account", platform: "mastodon", userId, status: wish, observedMs }];
}
