import type { ArchiveChange } from "../../archive/archive.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { asFields, isObject } from "../../platforms/fields.ts";
import { readAccountNames, readLocalId } from "../../platforms/mastodon/account.ts";
import { isIndexable, readStatusPost } from "../../platforms/mastodon/post.ts";
import type { Post } from "../../posts/post.ts";
import { importedUri } from "../../posts/references.ts";
import { parseJsonLine } from "../import/lines.ts";
import type { Frame } from "../streams/frames.ts";

export type MastodonEvent =
  | {
      kind: "event";
      changes: readonly ArchiveChange[];
      isSkipped: boolean;
      statusId: string | null;
    }
  | { kind: "refusal"; status: number | null };

export type ObservationContext = {
  host: string;
  nowMs: number;
};

const maxDepth = 24;
/** Sorts after every edit, so that the post is not restored. */
const lastRevision = "~";

/**
 * Reads an event (https://docs.joinmastodon.org/methods/streaming/); null if unreadable. Only
 * statuses that pass `isIndexable` become posts. If an edited status no longer passes, its post is
 * deleted until a later edit. An account that opts out is hidden with all its posts until it opts
 * in again.
 */
export function readMastodonEvent(
  { data, isBinary }: Frame,
  context: ObservationContext,
): MastodonEvent | null {
  const frame = isBinary ? null : parseFrame(data);
  if (!isObject(frame)) return null;
  const { event, payload, error, status } = frame;
  if (event === undefined && error !== undefined) {
    return { kind: "refusal", status: Number.isSafeInteger(status) ? Number(status) : null };
  }
  if (typeof event !== "string") return null;
  if (event === "delete") return readDelete(payload, context);
  if (event !== "update" && event !== "status.update") return emptyEvent;
  const statusPayload = typeof payload === "string" ? parseFrame(Buffer.from(payload)) : payload;
  return isObject(statusPayload) ? readStatus(statusPayload, event, context) : null;
}

const emptyEvent: MastodonEvent = { kind: "event", changes: [], isSkipped: false, statusId: null };

function parseFrame(bytes: Buffer): unknown {
  try {
    return parseJsonLine(bytes, maxDepth);
  } catch {
    return null;
  }
}

export const statusAlias = (id: string, host: string): string => importedUri("mastodon", id, host);

export function statusIdIn(alias: string, host: string): string | null {
  const id = alias.slice(importedUri("mastodon", "").length, -(host.length + 1));
  return statusAlias(id, host) === alias ? readLocalId(id) : null;
}

function readDelete(payload: unknown, context: ObservationContext): MastodonEvent | null {
  const id = readLocalId(typeof payload === "number" ? String(payload) : payload);
  if (id === null) return null;
  return {
    kind: "event",
    changes: [deletion(statusAlias(id, context.host), lastRevision)],
    isSkipped: false,
    statusId: id,
  };
}

export const readMissedStatus = (
  status: unknown,
  context: ObservationContext,
): MastodonEvent | null => (isObject(status) ? readStatus(status, "update", context) : null);

function readStatus(
  status: Record<string, unknown>,
  event: "update" | "status.update",
  context: ObservationContext,
): MastodonEvent | null {
  const { host: instance, nowMs: seenMs } = context;
  const receivedPost = readStatusPost(status, { instance, seenMs, origin: "stream" });
  const id = readLocalId(status.id);
  if (receivedPost === null || id === null) return null;
  const post =
    event === "update"
      ? receivedPost
      : { ...receivedPost, revision: postRevision(receivedPost, seenMs) };
  const consents = [...readConsent(status, context), ...readConsent(status.reblog, context)];
  const alias = statusAlias(id, context.host);
  if (isIndexable(status)) {
    const changes: readonly ArchiveChange[] = [
      { kind: "looked-up", platform: "mastodon", userId: post.userId ?? "", atMs: seenMs },
      ...consents,
      { kind: "upsert", post, alias },
    ];
    return { kind: "event", changes, isSkipped: false, statusId: id };
  }
  const revision = post.revision || lastRevision;
  const deletions =
    event === "update" ? [] : [deletion(alias, revision), deletion(post.uri, revision)];
  return {
    kind: "event",
    changes: [...consents, ...deletions],
    isSkipped: true,
    statusId: id,
  };
}

const postRevision = ({ revision }: Post, seenMs: number): string =>
  revision === "" ? "" : `${revision} ${isoTime(seenMs)}`;

const deletion = (name: string, revision: string): ArchiveChange => ({
  kind: "delete-stored",
  platform: "mastodon",
  name,
  revision,
});

export function readCheckedStatus(
  status: unknown,
  context: ObservationContext,
): readonly ArchiveChange[] {
  if (!isObject(status)) return [];
  const consents = [...readConsent(status, context), ...readConsent(status.reblog, context)];
  const isHidden = consents.some(
    (change) => change.kind === "account" && change.status === "opted-out",
  );
  const event = readStatus(
    status,
    isHidden || isIndexable(status) ? "update" : "status.update",
    context,
  );
  return event?.kind === "event" ? event.changes : [];
}

/** Only what the server reports explicitly is consent. */
function readConsent(
  status: unknown,
  { host, nowMs: observedMs }: ObservationContext,
): ArchiveChange[] {
  const { account } = asFields(status);
  const { indexable, noindex } = asFields(account);
  const userId = readAccountNames(account, host)?.userId;
  if (userId === undefined) return [];
  const consent = indexable === true && noindex !== true ? "active" : "opted-out";
  return [{ kind: "account", platform: "mastodon", userId, status: consent, observedMs }];
}
