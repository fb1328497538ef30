import type { QueryNode } from "@earshot/query/tree";
import { hasTime, idTimeMs } from "../../../posts/ids.ts";

type Span = { fromMs: number | null; toMs: number };

/** Between the times in a post's ID and in X's `created_at`. */
const maxApartMs = 1_000;

export function narrowedWindow(tree: QueryNode, window: Span, asOfMs: number): Span {
  const parts = tree.kind === "and" ? tree.children : [tree];
  let { fromMs, toMs } = window;
  for (const part of parts) {
    const bound = nodeBound(part, asOfMs);
    if (bound.fromMs !== null) fromMs = Math.max(fromMs ?? bound.fromMs, bound.fromMs);
    if (bound.toMs !== null) toMs = Math.min(toMs, bound.toMs);
  }
  return { fromMs, toMs };
}

type Bound = { fromMs: number | null; toMs: number | null };

function nodeBound(node: QueryNode, asOfMs: number): Bound {
  switch (node.kind) {
    case "since":
      return { fromMs: node.ms, toMs: null };
    case "within":
      return { fromMs: asOfMs - node.ms, toMs: null };
    case "until":
      return { fromMs: null, toMs: node.ms };
    case "since-id": {
      const id = BigInt(node.id);
      return { fromMs: hasTime(id) ? idTimeMs(id) - maxApartMs : null, toMs: null };
    }
    case "max-id": {
      const id = BigInt(node.id);
      return { fromMs: null, toMs: hasTime(id) ? idTimeMs(id) + maxApartMs + 1 : null };
    }
    default:
      return { fromMs: null, toMs: null };
  }
}
