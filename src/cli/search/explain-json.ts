import type { PlanNode, UnresolvedNames } from "@earshot/query/plan";
import type { SegmentWork } from "../../archive/archive.ts";
import { type Analysis, analysisSteps } from "./analysis.ts";

/** IDs are strings, and each unresolved name is a node of its own. */
export function planFields(plan: PlanNode, unresolved: UnresolvedNames | null): object {
  const fields = (child: PlanNode) => planFields(child, unresolved);
  if (plan.kind === "and" || plan.kind === "or") {
    return { kind: plan.kind, children: plan.children.map(fields) };
  }
  if (plan.kind === "not") return { kind: plan.kind, child: fields(plan.child) };
  if (plan.kind === "id") {
    return { kind: plan.kind, low: digits(plan.low), high: digits(plan.high) };
  }
  const name = unresolved?.nameIn(plan) ?? null;
  return name === null ? plan : { kind: "unresolved", ...name };
}

export function analysisFields(analysis: Analysis): object {
  const { names, bounds, queries, limit, answer, tookMs } = analysis;
  const { work, next, complete } = answer;
  return {
    names: {
      accounts: Object.fromEntries(names.accounts),
      posts: Object.fromEntries(names.posts),
    },
    bounds: {
      from_ms: bounds.fromMs,
      to_ms: bounds.toMs,
      low_id: digits(bounds.lowId),
      high_id: digits(bounds.highId),
    },
    platforms: queries.map(({ platform, query }) => ({
      platform,
      can_match: query !== null,
      index_query: query?.expression ?? null,
      checked_again: query === null ? null : planFields(query.residual, null),
    })),
    max_results: limit,
    work: {
      segments_held: work.segmentsOfPlatforms,
      segments_in_window: work.segmentsInWindow,
      segments_opened: work.segmentsOpened,
      statements: work.statements,
      candidates: work.candidates,
      checked_again: work.rechecked,
      containers: work.containers,
      returned: work.returned,
    },
    segments: work.segments.map(segmentFields),
    complete,
    next: next && { id: digits(next.id), platform: next.platform },
    took_ms: {
      ...Object.fromEntries(analysisSteps.map((step) => [step, roundMs(tookMs[step])])),
      total: roundMs(analysisSteps.reduce((sum, step) => sum + tookMs[step], 0)),
    },
  };
}

const segmentFields = (work: SegmentWork) => ({
  platform: work.platform,
  segment: work.sequence,
  candidates: work.candidates,
  checked_again: work.rechecked,
  containers: work.containers,
  found: work.found,
  took_ms: roundMs(work.tookMs),
});

const digits = (id: bigint | null): string | null => (id === null ? null : String(id));
const roundMs = (ms: number): number => Math.round(ms * 1_000) / 1_000;
