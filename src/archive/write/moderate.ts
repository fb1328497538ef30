/**
 * Hidden posts are listed in their segment, so that searches, counts and results omit them alike;
 * merely filtering results would yield short pages and wrong counts. Moderation needs commits in
 * several segments, so affected accounts and posts are listed in the catalog first: interrupted
 * moderation is applied with the next batch.
 */

import { accountById, fromAccount } from "@earshot/query/facets";
import type { Platform } from "../../posts/post.ts";
import { findModeration, isAccountId, type LabelSubject } from "../catalog/moderation.ts";
import { maxDateMs } from "../catalog/removed-posts.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import { findPost } from "./find-post.ts";
import { owner } from "./placement.ts";
import type { PreparedChanges } from "./prepare.ts";
import { subtractReactions } from "./reactions.ts";
import { inSegment, type WriteContext } from "./write-context.ts";

type ModerationChanges = Pick<PreparedChanges, "accounts" | "profiles" | "labels" | "lookUps">;

export function changedSubjects(
  { accounts }: WriteContext,
  batch: ModerationChanges,
): LabelSubject[] {
  const subjects: LabelSubject[] = [];
  for (const { platform, userId, status } of batch.accounts) {
    const account = accounts.read(platform, userId);
    if (account === null && status === "opted-out") continue;
    const knownStatus = account?.status ?? "active";
    if (status !== knownStatus || status === "deleted")
      subjects.push({ platform, subject: userId });
  }
  for (const { platform, userId, labels } of batch.profiles) {
    const knownLabels = accounts.read(platform, userId)?.labels ?? [];
    if (labels.join() !== knownLabels.join()) subjects.push({ platform, subject: userId });
  }
  for (const { platform, subject } of batch.labels) subjects.push({ platform, subject });
  return subjects;
}

export function recordModeration(
  { accounts, labels }: WriteContext,
  batch: ModerationChanges,
): void {
  for (const lookUp of batch.lookUps) accounts.setLookedUp(lookUp);
  for (const change of batch.accounts) accounts.setStatus(change);
  for (const change of batch.profiles) accounts.setProfile(change);
  for (const label of batch.labels) labels.put(label);
}

export function applyPendingModeration(context: WriteContext): number {
  const { pendingModeration } = context;
  const pendingSubjects = pendingModeration.all();
  const removedCounts = pendingSubjects.map((subject) => moderate(context, subject));
  if (pendingSubjects.length > 0) pendingModeration.clear();
  return removedCounts.reduce((total, count) => total + count, 0);
}

export function expireLabels(context: WriteContext, nowMs: number): void {
  for (const subject of context.labels.expire(nowMs)) moderate(context, subject);
}

function moderate(context: WriteContext, subject: LabelSubject): number {
  if (isAccountId(subject.subject)) return moderateAccount(context, subject);
  moderatePost(context, subject);
  return 0;
}

function moderatePost(context: WriteContext, { platform, subject: uri }: LabelSubject): void {
  const { writers, accounts, labels } = context;
  const entries = writers.entries(platform);
  const stored = findPost(context, entries, platform, uri);
  if (stored === null) return;
  const entry = owner(entries, stored.id);
  const writer = writers.openWriter(entry);
  const userId = writer.read(stored.id)?.post.userId?.toLowerCase() ?? null;
  const moderation = findModeration({ platform, uri, userId }, accounts, labels);
  inSegment(context, writer, entry, () => writer.moderate(stored.id, moderation));
}

function moderateAccount(
  context: WriteContext,
  { platform, subject: userId }: LabelSubject,
): number {
  const { accounts, labels } = context;
  const deletedMs = accounts.read(platform, userId)?.deletedMs ?? null;
  let removedCount = 0;
  inSegmentsOf(context, platform, userId, (writer, id) => {
    const found = writer.read(id);
    if (found === null) return;
    const { uri, nativeId } = found.post;
    if (deletedMs === null || found.timeMs > deletedMs) {
      writer.moderate(id, findModeration({ platform, uri, userId }, accounts, labels));
      return;
    }
    const hash = nativeId === null ? context.hashUri(uri) : null;
    subtractReactions(context, platform, found);
    writer.remove(id, hash);
    writer.deletions.addAccount(userId, deletedMs);
    if (hash !== null) context.misplacedPosts.remove(platform, hash, id);
    removedCount += 1;
  });
  if (removedCount === 0 && deletedMs === maxDateMs) rejectLaterCopies(context, platform, userId);
  return removedCount;
}

function rejectLaterCopies(context: WriteContext, platform: Platform, userId: string): void {
  const entry = context.writers.entries(platform).at(-1);
  if (entry === undefined) return;
  const writer = context.writers.openWriter(entry);
  inSegment(context, writer, entry, () => writer.deletions.addAccount(userId, maxDateMs));
}

function inSegmentsOf(
  context: WriteContext,
  platform: Platform,
  userId: string,
  work: (writer: SegmentWriter, id: bigint) => void,
): void {
  const { writers } = context;
  const facet = fromAccount(accountById(platform, userId));
  for (const entry of writers.entries(platform)) {
    const writer = writers.openWriter(entry);
    const ids = writer.idsWith(facet);
    if (ids.length === 0) continue;
    inSegment(context, writer, entry, () => {
      for (const id of ids) work(writer, id);
    });
  }
}
