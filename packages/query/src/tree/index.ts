export { describeTree } from "./describe.ts";
export { diagnosticCodes, renderDiagnostic } from "./diagnostics.ts";
export { byPlatform, type Platform, platforms, platformTitles } from "./platform.ts";
export { printQuery } from "./print.ts";
export { readSource, type Source, textBetween, withoutEnding } from "./source.ts";
export {
  type CountMetric,
  countMetrics,
  type Diagnostic,
  type ParsedQuery,
  type PostProperty,
  type QueryLeaf,
  type QueryNode,
} from "./tree.ts";
