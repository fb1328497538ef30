import type { PlanNode } from "./plan.ts";

/** `fromMs` is inclusive, `toMs` exclusive; null means unbounded. */
export type TimeWindow = { fromMs: number | null; toMs: number | null };

/** Inclusive; null means unbounded. */
export type IdBounds = { lowId: bigint | null; highId: bigint | null };

/**
 * The time window, clipped to `within`, and the ID range that contain all matches. `conjuncts` are
 * the other conditions.
 */
export function extractBounds(
  plan: PlanNode,
  within: TimeWindow,
): TimeWindow & IdBounds & { conjuncts: PlanNode[] } {
  const conjuncts: PlanNode[] = [];
  let { fromMs, toMs } = within;
  let lowId: bigint | null = null;
  let highId: bigint | null = null;
  for (const node of plan.kind === "and" ? plan.children : [plan]) {
    const time = nodeTimes(node);
    const ids = nodeIds(node);
    if (time !== null) {
      fromMs = higher(fromMs, time.fromMs);
      toMs = lower(toMs, time.toMs);
    } else if (ids !== null) {
      lowId = higher(lowId, ids.lowId);
      highId = lower(highId, ids.highId);
    } else {
      conjuncts.push(node);
    }
  }
  return { conjuncts, fromMs, toMs, lowId, highId };
}

function nodeTimes(node: PlanNode): TimeWindow | null {
  if (node.kind === "time") return node;
  if (node.kind !== "not" || node.child.kind !== "time") return null;
  const { fromMs, toMs } = node.child;
  if (fromMs !== null && toMs !== null) return null;
  return { fromMs: toMs, toMs: fromMs };
}

function nodeIds(node: PlanNode): IdBounds | null {
  if (node.kind === "id") return { lowId: node.low, highId: node.high };
  if (node.kind !== "not" || node.child.kind !== "id") return null;
  const { low, high } = node.child;
  if (low !== null && high !== null) return null;
  return {
    lowId: high === null ? null : high + 1n,
    highId: low === null ? null : low - 1n,
  };
}

const higher = <Bound extends number | bigint>(a: Bound | null, b: Bound | null): Bound | null =>
  a === null ? b : b === null || a > b ? a : b;

const lower = <Bound extends number | bigint>(a: Bound | null, b: Bound | null): Bound | null =>
  a === null ? b : b === null || a < b ? a : b;
