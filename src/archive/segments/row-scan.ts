import type { SegmentQuery } from "./search-segment.ts";

type ScannedQuery = Pick<SegmentQuery, "expression" | "residual" | "whole">;

/**
 * Segments with another analyzer or Unicode version, or with a damaged index, are searched row by
 * row with the matcher. This is slow but exact, so upgrades need no downtime.
 */
export const rowScanQuery = <Query extends ScannedQuery>(query: Query): Query => ({
  ...query,
  expression: null,
  residual: query.whole,
});

export const candidatesPerStep = 128;

export const recheckedPerStep = 16;
