export { describeIds, describePlan, describeTime } from "./describe-plan.ts";
export {
  all,
  any,
  makePlan,
  namesIn,
  not,
  type QueryNames,
  type ResolvedNames,
} from "./make-plan.ts";
export type { PlanNode } from "./plan.ts";
export { type UnresolvedNames, unresolvedNames } from "./unresolved-names.ts";
export { extractBounds, type IdBounds, type TimeWindow } from "./window.ts";
