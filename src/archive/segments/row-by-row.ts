import type { SegmentQuery } from "./search-segment.ts";

type Asked = Pick<SegmentQuery, "expression" | "residual" | "whole">;

/** The same question where no index is to be trusted: every row is looked at. */
export const rowByRow = <Query extends Asked>(query: Query): Query => ({
  ...query,
  expression: null,
  residual: query.whole,
});
