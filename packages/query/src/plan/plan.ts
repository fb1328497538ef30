import type { SequenceElement } from "../text/sequence.ts";
import type { Platform } from "../tree/platform.ts";
import type { CountMetric } from "../tree/tree.ts";

/**
 * A boolean tree over posts' index terms and stored fields. `terms` match at adjacent positions; a
 * facet is one term.
 */
export type PlanNode =
  | { kind: "all" }
  | { kind: "none" }
  | { kind: "and"; children: readonly PlanNode[] }
  | { kind: "or"; children: readonly PlanNode[] }
  | { kind: "not"; child: PlanNode }
  | { kind: "terms"; elements: readonly SequenceElement[] }
  /** `fromMs` is inclusive, `toMs` exclusive. */
  | { kind: "time"; fromMs: number | null; toMs: number | null }
  /** Both ends are inclusive. */
  | { kind: "id"; low: bigint | null; high: bigint | null }
  | { kind: "platform"; platform: Platform }
  | { kind: "min-count"; metric: CountMetric; atLeast: number }
  | { kind: "geo"; lat: number; lon: number; radiusKm: number };
