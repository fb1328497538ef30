import type { SegmentQuery } from "./search-segment.ts";

type Requested = Pick<SegmentQuery, "expression" | "residual" | "whole">;

/**
 * Segments that were indexed with another analyzer or Unicode version, or whose index is damaged, are searched row by row with the
 * matcher: slow but exact. An update therefore needs no downtime.
 */
export const rowByRow = <Query extends Requested>(query: Query): Query => ({
  ...query,
  expression: null,
  residual: query.whole,
});
