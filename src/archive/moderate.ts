import { xIdOf } from "../posts/ids.ts";
import type { Platform } from "../posts/post.ts";
import { accountById, fromAccount } from "../text/facets.ts";
import type { LabelSubject } from "./labels.ts";
import { moderationOf } from "./moderation.ts";
import { findHeld, owner } from "./placement.ts";
import type { PreparedChanges } from "./prepare.ts";
import { takeOffReactions } from "./reactions.ts";
import type { SegmentWriter } from "./segments/segment-writer.ts";
import { inSegment, type WriteContext } from "./write-context.ts";

/** What has to be looked at anew among the posts that are held, as something new was said of it. */
export type Judged = {
  /** Accounts of which all posts are judged anew. */
  accounts: ReadonlyMap<string, AccountKey>;
  /** Accounts that were deleted: their posts up to then go. */
  deleted: ReadonlyMap<string, AccountKey>;
  posts: readonly LabelSubject[];
};

type AccountKey = { platform: Platform; userId: string };

/** Notes what hosts, accounts and labelers say in a batch, in the order in which it came. */
export function noteModeration(
  { accounts, labels }: WriteContext,
  batch: Pick<PreparedChanges, "accounts" | "profiles" | "labels" | "lookUps">,
): Judged {
  const judged = new Map<string, AccountKey>();
  const deleted = new Map<string, AccountKey>();
  const posts: LabelSubject[] = [];
  const mark = (of: Map<string, AccountKey>, { platform, userId }: AccountKey): void => {
    of.set(`${platform} ${userId}`, { platform, userId });
  };
  for (const change of batch.accounts) {
    const before = accounts.read(change.platform, change.userId)?.status ?? "active";
    if (!accounts.setStatus(change)) continue;
    if (change.status === "deleted") mark(deleted, change);
    if (change.status !== before) mark(judged, change);
  }
  for (const change of batch.profiles) {
    const before = accounts.read(change.platform, change.userId)?.labels ?? [];
    if (!accounts.setProfile(change)) continue;
    if (before.join() !== change.labels.join()) mark(judged, change);
  }
  for (const label of batch.labels) {
    if (!labels.put(label)) continue;
    const { platform, subject } = label;
    if (isAccount(subject)) mark(judged, { platform, userId: subject });
    else posts.push({ platform, subject });
  }
  for (const lookUp of batch.lookUps) accounts.setLookedUp(lookUp);
  return { accounts: judged, deleted, posts };
}

const isAccount = (subject: string): boolean => subject.startsWith("did:");

/** Hides, shows, labels and removes posts as is said of them now; how many were removed. */
export function applyModeration(context: WriteContext, judged: Judged): number {
  let removed = 0;
  for (const account of judged.deleted.values()) removed += removePosts(context, account);
  for (const account of judged.accounts.values()) judgePosts(context, account);
  for (const post of judged.posts) judgePost(context, post);
  return removed;
}

/** Takes labels back whose time is over. */
export function expireLabels(context: WriteContext, nowMs: number): void {
  const expired = context.labels.expire(nowMs);
  const accounts = new Map<string, AccountKey>();
  for (const { platform, subject } of expired) {
    if (isAccount(subject)) accounts.set(`${platform} ${subject}`, { platform, userId: subject });
  }
  const posts = expired.filter(({ subject }) => !isAccount(subject));
  applyModeration(context, { accounts, deleted: new Map(), posts });
}

function judgePost(context: WriteContext, { platform, subject: uri }: LabelSubject): void {
  const { writers, accounts, labels } = context;
  const entries = writers.entries(platform);
  if (entries.length === 0) return;
  const segments = { ...context, writerOf: writers.writerOf, entries };
  const id = platform === "x" ? xIdOf(uri) : null;
  const hash = id === null ? context.hashOf(uri) : null;
  const held = findHeld(segments, { platform, uri, hash, id });
  if (held === null) return;
  const entry = owner(entries, held.id);
  const writer = writers.writerOf(entry);
  const userId = writer.read(held.id)?.post.userId?.toLowerCase() ?? null;
  const moderation = moderationOf({ platform, uri, userId }, accounts, labels);
  inSegment(writer, entry, () => writer.moderate(held.id, moderation));
}

function judgePosts(context: WriteContext, { platform, userId }: AccountKey): void {
  const { accounts, labels } = context;
  inSegmentsOf(context, { platform, userId }, (writer, id) => {
    const found = writer.read(id);
    if (found === null) return;
    writer.moderate(id, moderationOf({ platform, uri: found.post.uri, userId }, accounts, labels));
  });
}

/** The posts that were there when their account was deleted. */
function removePosts(context: WriteContext, account: AccountKey): number {
  const { platform, userId } = account;
  const deletedMs = context.accounts.read(platform, userId)?.deletedMs ?? 0;
  let removed = 0;
  inSegmentsOf(context, account, (writer, id) => {
    const found = writer.read(id);
    if (found === null || found.timeMs > deletedMs) return;
    const hash = found.post.nativeId === null ? context.hashOf(found.post.uri) : null;
    takeOffReactions(context, platform, found);
    writer.remove(id, hash);
    if (hash !== null) context.strayed.remove(platform, hash, id);
    removed += 1;
  });
  return removed;
}

/** Does something with every post of an account, one transaction a segment. */
function inSegmentsOf(
  { writers }: WriteContext,
  { platform, userId }: AccountKey,
  work: (writer: SegmentWriter, id: bigint) => void,
): void {
  const facet = fromAccount(accountById(platform, userId));
  for (const entry of writers.entries(platform)) {
    const writer = writers.writerOf(entry);
    const ids = writer.idsWith(facet);
    if (ids.length === 0) continue;
    inSegment(writer, entry, () => {
      for (const id of ids) work(writer, id);
    });
  }
}
