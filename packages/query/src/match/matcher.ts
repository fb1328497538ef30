import type { PlanNode } from "../plan/plan.ts";
import type { Platform } from "../tree/platform.ts";
import type { CountMetric } from "../tree/tree.ts";
import { distanceKm } from "./geo.ts";
import { containsSequence } from "./sequence-match.ts";

/** `terms` is called once per sequence, so it must be memoised. */
export type Subject = {
  id: bigint;
  platform: Platform;
  /** Capped as in `postTimeMs`. */
  timeMs: number;
  counts: Readonly<Record<CountMetric, number | null>>;
  geo: () => { lat: number; lon: number } | null;
  terms: () => readonly string[];
};

/** The reference semantics; engines and upstreams may return more. An unknown count is 0. */
export function matches(plan: PlanNode, subject: Subject): boolean {
  switch (plan.kind) {
    case "all":
      return true;
    case "none":
      return false;
    case "and":
      return plan.children.every((child) => matches(child, subject));
    case "or":
      return plan.children.some((child) => matches(child, subject));
    case "not":
      return !matches(plan.child, subject);
    case "terms":
      return containsSequence(subject.terms(), plan.elements);
    case "time":
      return (
        (plan.fromMs === null || subject.timeMs >= plan.fromMs) &&
        (plan.toMs === null || subject.timeMs < plan.toMs)
      );
    case "id":
      return (
        (plan.low === null || subject.id >= plan.low) &&
        (plan.high === null || subject.id <= plan.high)
      );
    case "platform":
      return subject.platform === plan.platform;
    case "min-count":
      return (subject.counts[plan.metric] ?? 0) >= plan.atLeast;
    case "geo": {
      const coordinates = subject.geo();
      return coordinates !== null && distanceKm(coordinates, plan) <= plan.radiusKm;
    }
  }
}
