import type { Platform } from "../lib/platform.ts";
import type { SequenceElement } from "../text/sequence.ts";
import type { CountMetric } from "./tree.ts";

/**
 * What every executor is asked: a boolean tree over the index terms of a post (`posts/terms.ts` makes them) and over its row.
 * `terms` are matched side by side within the post's terms; a facet is a sequence of one token.
 */
export type PlanNode =
  | { kind: "all" }
  | { kind: "none" }
  | { kind: "and"; children: readonly PlanNode[] }
  | { kind: "or"; children: readonly PlanNode[] }
  | { kind: "not"; child: PlanNode }
  | { kind: "terms"; elements: readonly SequenceElement[] }
  /** `from` inclusive, `to` exclusive, Unix milliseconds of the post's time. */
  | { kind: "time"; fromMs: number | null; toMs: number | null }
  /** IDs, both ends inclusive. */
  | { kind: "id"; low: bigint | null; high: bigint | null }
  | { kind: "platform"; platform: Platform }
  | { kind: "min-count"; metric: CountMetric; atLeast: number }
  | { kind: "geo"; lat: number; lon: number; radiusKm: number };
