import type { PlanNode } from "./plan.ts";

/** A span of time, Unix milliseconds: `fromMs` inclusive, `toMs` exclusive, null unbounded. */
export type TimeWindow = { fromMs: number | null; toMs: number | null };

/**
 * The window that every match of a plan lies in, within a given one, and the rest of the plan: the conjuncts that say
 * something else than a bound of time.
 */
export function splitWindow(
  plan: PlanNode,
  within: TimeWindow,
): TimeWindow & { conjuncts: PlanNode[] } {
  const conjuncts: PlanNode[] = [];
  let { fromMs, toMs } = within;
  for (const node of plan.kind === "and" ? plan.children : [plan]) {
    const bound = boundOf(node);
    if (bound === null) {
      conjuncts.push(node);
      continue;
    }
    fromMs = later(fromMs, bound.fromMs);
    toMs = earlier(toMs, bound.toMs);
  }
  return { conjuncts, fromMs, toMs };
}

/** A time or the negation of a one-sided one; null for anything else. */
function boundOf(node: PlanNode): TimeWindow | null {
  if (node.kind === "time") return node;
  if (node.kind !== "not" || node.child.kind !== "time") return null;
  const { fromMs, toMs } = node.child;
  if (fromMs !== null && toMs !== null) return null;
  return { fromMs: toMs, toMs: fromMs };
}

const later = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);
