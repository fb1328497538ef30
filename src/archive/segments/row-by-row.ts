/**
 * Segments of another analyzer or Unicode version, or with a damaged index, are searched by the
 * matcher alone: slow but exact, so that an update needs no downtime.
 */

import type { SegmentQuery } from "./search-segment.ts";

type Requested = Pick<SegmentQuery, "expression" | "residual" | "whole">;

export const rowByRow = <Query extends Requested>(query: Query): Query => ({
  ...query,
  expression: null,
  residual: query.whole,
});
