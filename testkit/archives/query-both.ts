import type { PlanNode } from "@earshot/query/plan";
import { type PlatformQuery, platformQuery } from "../../src/archive/read/platform-query.ts";
import type { Segment } from "../../src/archive/segments/segment.ts";
import type { IdRange, TimeSkew } from "../../src/posts/ids.ts";
import type { SegmentForms } from "./segment-forms.ts";

export type FormsQuery = {
  plan: PlanNode;
  range: IdRange;
  fromMs: number | null;
  toMs: number | null;
  skew: TimeSkew;
  /** If null, counts per `widthMs`. */
  limit: number | null;
  widthMs: number;
};

const neverStop = (): boolean => false;

export type ComparedAnswers = { plain: string; sealed: string; found: number };

export function queryBoth(
  { plain, sealed }: SegmentForms,
  request: FormsQuery,
): ComparedAnswers | null {
  const { plan, fromMs, toMs } = request;
  const bounds = { fromMs, toMs, lowId: null, highId: null };
  const query = platformQuery("x", { conjuncts: [plan], ...bounds });
  if (query === null) return null;
  const fts5Answer = readAnswer(plain, query, request);
  const sealedAnswer = readAnswer(sealed, query, request);
  return { plain: fts5Answer.text, sealed: sealedAnswer.text, found: fts5Answer.found };
}

function readAnswer(
  segment: Segment,
  query: PlatformQuery,
  { range, limit, skew, widthMs }: FormsQuery,
): { text: string; found: number } {
  const segmentQuery = { ...query, skew };
  if (limit !== null) {
    const { ids, stoppedAt } = segment.search(segmentQuery, range, limit, neverStop);
    return { text: `${ids.join()} ${stoppedAt}`, found: ids.length };
  }
  const { counts, countedFromMs } = segment.counter.withSnapshot(() =>
    segment.counter.count(segmentQuery, range, { originMs: 0, widthMs }, neverStop),
  );
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const found = sorted.reduce((sum, [, count]) => sum + count, 0);
  return { text: `${sorted.map((each) => each.join(":")).join()} ${countedFromMs}`, found };
}
