import type { PlanNode } from "./plan.ts";

/** `fromMs` is inclusive, `toMs` exclusive; null means unbounded. */
export type TimeWindow = { fromMs: number | null; toMs: number | null };

/** Inclusive; null means unbounded. */
export type IdBounds = { lowId: bigint | null; highId: bigint | null };

/**
 * The time window, clipped to `window`, and the ID range that contain all matches. `conjuncts` are
 * the other conditions.
 */
export function extractBounds(
  plan: PlanNode,
  window: TimeWindow,
): TimeWindow & IdBounds & { conjuncts: PlanNode[] } {
  const conjuncts: PlanNode[] = [];
  let { fromMs, toMs } = window;
  let lowId: bigint | null = null;
  let highId: bigint | null = null;
  for (const node of plan.kind === "and" ? plan.children : [plan]) {
    const time = nodeWindow(node);
    const ids = nodeIds(node);
    if (time !== null) {
      fromMs = maxBound(fromMs, time.fromMs);
      toMs = minBound(toMs, time.toMs);
    } else if (ids !== null) {
      lowId = maxBound(lowId, ids.lowId);
      highId = minBound(highId, ids.highId);
    } else {
      conjuncts.push(node);
    }
  }
  return { conjuncts, fromMs, toMs, lowId, highId };
}

function nodeWindow(node: PlanNode): TimeWindow | null {
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

const maxBound = <Bound extends number | bigint>(a: Bound | null, b: Bound | null): Bound | null =>
  a === null ? b : b === null || a > b ? a : b;

const minBound = <Bound extends number | bigint>(a: Bound | null, b: Bound | null): Bound | null =>
  a === null ? b : b === null || a < b ? a : b;
