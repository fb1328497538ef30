import type { PlanNode } from "@earshot/query/plan";
import type { IdRange } from "../../posts/ids.ts";
import type { RecordRow } from "../../posts/record.ts";
import { candidatesOfStep } from "./candidates-of-step.ts";
import { add, type BucketTally, type Grid } from "./clocking.ts";
import { single } from "./damaged-ids.ts";
import type { CandidateBatch } from "./merged-candidates.ts";
import type { RowsRead } from "./read-rows.ts";

export type RowMatcher = {
  rows(ids: readonly bigint[]): RowsRead;
  isMatch(plan: PlanNode, row: RecordRow): boolean;
};

export function countInRows(
  batches: Iterable<CandidateBatch>,
  { rows, isMatch }: RowMatcher,
  residual: PlanNode,
  { low }: IdRange,
  { originMs, widthMs }: Grid,
  expired: () => boolean,
  tally: BucketTally,
): void {
  for (const { ids, seenTo } of batches) {
    let reached = seenTo;
    for (let start = 0; start < ids.length; start += candidatesOfStep) {
      const step = ids.slice(start, start + candidatesOfStep);
      tally.statements += 1;
      const read = rows(step);
      tally.damaged.push(...read.damaged.map(single));
      for (const row of read.rows) {
        if (!isMatch(residual, row)) continue;
        add(tally.counts, Math.floor((row.timeMs - originMs) / widthMs), 1);
      }
      const isLast = start + candidatesOfStep >= ids.length;
      reached = isLast ? seenTo : (step.at(-1) ?? seenTo);
      if (!isLast && expired()) break;
    }
    if (reached <= low || (reached === seenTo && !expired())) continue;
    tally.stoppedAt = reached;
    return;
  }
}
