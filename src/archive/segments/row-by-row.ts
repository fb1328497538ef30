/**
 * Segments of another analyzer or Unicode version, and segments with a damaged index, are searched post by post with the
 * matcher: slow but exact, so that an update needs no downtime and no new import. Compaction rewrites them in the
 * background.
 */

import type { SegmentQuery } from "./search-segment.ts";

type Requested = Pick<SegmentQuery, "expression" | "residual" | "whole">;

/** The same query without an index. */
export const rowByRow = <Query extends Requested>(query: Query): Query => ({
  ...query,
  expression: null,
  residual: query.whole,
});
