import { firstTimeMs, idTimeMs, tellsTime } from "../../posts/ids.ts";
import type { QueryLeaf, QueryNode } from "../../query/tree.ts";

/** The bounds of time that stand anywhere in a query, Unix milliseconds; null where none does. */
export type TimeBounds = {
  /** The latest one that matches may have to lie at or behind. */
  latestFromMs: number | null;
  /** The earliest one that they may have to lie before. */
  earliestToMs: number | null;
};

/** By how much the time of a post may lie beside that of its ID: X tells times in whole seconds. */
const skewMs = 1_000;

/**
 * How far the bounds that stand in a query can narrow a window. Which of them do depends on what its names stand for, so all
 * are counted: no window that the query is read as is narrower.
 */
export function timeBoundsOf(tree: QueryNode, asOfMs: number): TimeBounds {
  const froms: number[] = [];
  const tos: number[] = [];
  const visit = (node: QueryNode, isNegated: boolean): void => {
    if (node.kind === "and" || node.kind === "or") {
      for (const child of node.children) visit(child, isNegated);
    } else if (node.kind === "not") {
      visit(node.child, !isNegated);
    } else {
      const bound = boundOf(node, asOfMs);
      if (bound === null) return;
      const isFrom = (bound.side === "from") !== isNegated;
      if (isFrom) froms.push(bound.latestMs);
      else tos.push(bound.earliestMs);
    }
  };
  visit(tree, false);
  return {
    latestFromMs: froms.length === 0 ? null : Math.max(...froms),
    earliestToMs: tos.length === 0 ? null : Math.min(...tos),
  };
}

type Bound = { side: "from" | "to"; latestMs: number; earliestMs: number };

function boundOf(leaf: QueryLeaf, asOfMs: number): Bound | null {
  switch (leaf.kind) {
    case "since":
      return at("from", leaf.ms);
    case "within":
      return at("from", asOfMs - leaf.ms);
    case "until":
      return at("to", leaf.ms);
    case "since-id":
      return aroundId("from", BigInt(leaf.id));
    case "max-id":
      return aroundId("to", BigInt(leaf.id));
    default:
      return null;
  }
}

const at = (side: Bound["side"], ms: number): Bound => ({ side, latestMs: ms, earliestMs: ms });

function aroundId(side: Bound["side"], id: bigint): Bound {
  const ms = tellsTime(id) ? idTimeMs(id) : firstTimeMs;
  return { side, latestMs: ms + skewMs, earliestMs: ms - skewMs };
}
