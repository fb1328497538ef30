import type { SequenceElement } from "../text/sequence.ts";
import { countText } from "../tree/describe.ts";
import { type DrawnTree, drawTree } from "../tree/draw-tree.ts";
import type { PlanNode } from "./plan.ts";
import type { UnresolvedNames } from "./unresolved-names.ts";

export function describePlan(plan: PlanNode, unresolved: UnresolvedNames | null = null): string {
  return drawTree(toDrawnTree(plan, unresolved));
}

function toDrawnTree(node: PlanNode, unresolved: UnresolvedNames | null): DrawnTree {
  const branches = (children: readonly PlanNode[]) =>
    children.map((child) => toDrawnTree(child, unresolved));
  if (node.kind === "and") return { label: "all of", branches: branches(node.children) };
  if (node.kind === "or") return { label: "any of", branches: branches(node.children) };
  if (node.kind === "not") return { label: "not", branches: branches([node.child]) };
  const name = unresolved?.nameIn(node) ?? null;
  if (name === null) return { label: describeLeaf(node), branches: [] };
  const label = `facet ${name.facet}… of the ${name.subject} ${name.name}, resolved when the query runs`;
  return { label, branches: [] };
}

type PlanLeaf = Exclude<PlanNode, { kind: "and" | "or" | "not" }>;

function describeLeaf(leaf: PlanLeaf): string {
  switch (leaf.kind) {
    case "all":
      return "every post";
    case "none":
      return "no post";
    case "terms":
      return describeSequence(leaf.elements);
    case "time":
      return describeTime(leaf.fromMs, leaf.toMs);
    case "id":
      return describeIds(leaf.low, leaf.high);
    case "platform":
      return `platform ${leaf.platform}`;
    case "min-count":
      return `at least ${countText(leaf.atLeast, leaf.metric)}`;
    case "geo":
      return `circle of ${leaf.radiusKm} km around latitude ${leaf.lat}, longitude ${leaf.lon}`;
  }
}

function describeSequence(elements: readonly SequenceElement[]): string {
  const [first] = elements;
  const text = elements.map(describeElement).join(" ");
  const areFacets = elements.every((element) => element.kind === "token" && isFacet(element.token));
  if (elements.length > 1) return `${areFacets ? "adjacent facets" : "phrase"} ${text}`;
  if (first?.kind === "prefix") return `tokens that begin with ${first.prefix}`;
  return `${areFacets ? "facet" : "token"} ${text}`;
}

function describeElement(element: SequenceElement): string {
  if (element.kind === "any") return "(any one)";
  return element.kind === "token" ? element.token : `${element.prefix}…`;
}

/** Text tokens contain none of this punctuation. */
const isFacet = (token: string): boolean => /[:#@$]|>=/.test(token);

/** `fromMs` is inclusive, `toMs` exclusive. */
export function describeTime(fromMs: number | null, toMs: number | null): string {
  const from = fromMs === null ? "" : ` at or after ${isoTime(fromMs)}`;
  const to = toMs === null ? "" : ` before ${isoTime(toMs)}`;
  return from + to === "" ? "any time" : `time${from}${from && to ? " and" : ""}${to}`;
}

/** Both ends are inclusive. */
export function describeIds(low: bigint | null, high: bigint | null): string {
  if (low !== null && high !== null) return `IDs from ${low} to ${high}`;
  if (low !== null) return `IDs from ${low} on`;
  return high === null ? "any ID" : `IDs up to ${high}`;
}

/** The latest time of `Date`. */
const lastDateMs = 8.64e15;

const isoTime = (ms: number): string =>
  new Date(Math.min(Math.max(ms, -lastDateMs), lastDateMs)).toISOString();
