import type { QueryNode, QuerySpan } from "./tree.ts";

export function makeAnd(children: readonly QueryNode[], span: QuerySpan): QueryNode | null {
  const merged = children.flatMap((child) => (child.kind === "and" ? child.children : [child]));
  if (merged.length < 2) return merged[0] ?? null;
  return { kind: "and", children: merged, span };
}

export function makeOr(children: readonly QueryNode[], span: QuerySpan): QueryNode | null {
  const merged = children.flatMap((child) => (child.kind === "or" ? child.children : [child]));
  if (merged.length < 2) return merged[0] ?? null;
  return { kind: "or", children: merged, span };
}

export function makeNot(child: QueryNode, span: QuerySpan): QueryNode {
  return child.kind === "not" ? child.child : { kind: "not", child, span };
}
