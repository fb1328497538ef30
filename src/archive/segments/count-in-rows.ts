import type { PlanNode } from "@earshot/query/plan";
import { type IdRange, singleId } from "../../posts/ids.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { ReadRows } from "./checked-rows.ts";
import { addToBucket, type BucketGrid, type BucketTally } from "./id-clock.ts";
import type { CandidateBatch } from "./merged-candidates.ts";
import { candidatesPerStep } from "./row-scan.ts";

export type RowMatcher = {
  rows(ids: readonly bigint[]): ReadRows;
  isMatch(plan: PlanNode, row: RecordRow): boolean;
};

export function countInRows(
  batches: Iterable<CandidateBatch>,
  { rows, isMatch }: RowMatcher,
  residual: PlanNode,
  { low }: IdRange,
  { originMs, widthMs }: BucketGrid,
  expired: () => boolean,
  tally: BucketTally,
): void {
  for (const { ids, seenTo } of batches) {
    let reachedId = seenTo;
    for (let start = 0; start < ids.length; start += candidatesPerStep) {
      const batch = ids.slice(start, start + candidatesPerStep);
      tally.statements += 1;
      const result = rows(batch);
      tally.damaged.push(...result.damaged.map(singleId));
      for (const row of result.rows) {
        if (!isMatch(residual, row)) continue;
        addToBucket(tally.counts, Math.floor((row.timeMs - originMs) / widthMs), 1);
      }
      const isLast = start + candidatesPerStep >= ids.length;
      reachedId = isLast ? seenTo : (batch.at(-1) ?? seenTo);
      if (!isLast && expired()) break;
    }
    if (reachedId <= low || (reachedId === seenTo && !expired())) continue;
    tally.stoppedAt = reachedId;
    return;
  }
}
