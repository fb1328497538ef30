import type { DatabaseSync } from "node:sqlite";
import type { Span } from "../../lib/spans.ts";
import type { Platform } from "../../posts/post.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { CompactionContext } from "./context.ts";
import { type LostPosts, writeLostList } from "./lost-posts.ts";
import { type RewriteReport, replaceSegment } from "./replace-segment.ts";
import { listMisplaced } from "./rewrite.ts";
import { createSalvage, type Salvage } from "./salvage-rows.ts";
import type { CompactionSteps } from "./steps.ts";

export type SalvageReport = RewriteReport & {
  isDamaged: boolean;
  lost: (LostPosts & { listPath: string | null }) | null;
};

/**
 * Rebuilds a segment from its intact rows, read in table order around the damage, then from the
 * pages of the file. Builds terms and uris from the rows; takes hidden posts from the catalog and
 * the readable part of their list. Lost posts become a coverage gap, and are listed next to the
 * damaged file.
 */
export function* salvageSegment(
  context: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<SalvageReport> {
  const { folder, catalog } = context;
  let salvage: Salvage | null = null;
  let lost: LostPosts | null = null;
  const report = yield* replaceSegment(context, entry, {
    cuts: [],
    shouldKeep: null,
    terms: "any",
    isSalvage: true,
    *fill(rewrite, { ingestOrderFrom }) {
      salvage = createSalvage(context, entry, rewrite);
      yield* salvage.copyRows();
      yield* salvage.copyIngestOrder(ingestOrderFrom);
      for (const { copy } of rewrite.parts) yield* copy.complete();
      yield* listMisplaced(context, rewrite);
      salvage.close();
    },
    shouldOrphanOld: () => salvage?.isDamaged() ?? false,
    onSwap() {
      lost = salvage?.findLostPosts() ?? null;
      for (const span of lost?.spans ?? []) removePostCoverage(catalog, entry.platform, span);
    },
  });
  const lostPosts = lost as LostPosts | null;
  return {
    ...report,
    isDamaged: (salvage as Salvage | null)?.isDamaged() ?? false,
    lost: lostPosts && { ...lostPosts, listPath: writeLostList(folder, entry, lostPosts.posts) },
  };
}

/** Requires a transaction. */
function removePostCoverage(
  catalog: DatabaseSync,
  platform: Platform,
  { fromMs, toMs }: Span,
): void {
  const from = fromMs ?? Number.MIN_SAFE_INTEGER;
  const removedIntervals = catalog
    .prepare(
      `DELETE FROM interval WHERE platform = ? AND collection = 'posts' AND from_ms < ? AND to_ms > ?
       RETURNING account, source, from_ms, to_ms`,
    )
    .all(platform, toMs, from);
  const insertInterval = catalog.prepare("INSERT INTO interval VALUES(?, 'posts', ?, ?, ?, ?)");
  for (const { account, source, from_ms, to_ms } of removedIntervals) {
    const key = [platform, account ?? "", source ?? ""];
    if (Number(from_ms) < from) insertInterval.run(...key, from_ms ?? 0, from);
    if (Number(to_ms) > toMs) insertInterval.run(...key, toMs, to_ms ?? 0);
  }
}
