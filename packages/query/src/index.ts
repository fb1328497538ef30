export { type Lexeme, lex } from "./grammar/lex.ts";
export {
  maxArchiveQueryLength as longestArchiveQuery,
  maxLiveQueryLength as longestLiveQuery,
  maxTerms,
} from "./grammar/limits.ts";
export {
  InvalidQueryError,
  type ParseOptions,
  parseQuery,
  parseQueryLeniently,
} from "./grammar/parse.ts";
export { nearest } from "./operators/nearest.ts";
export {
  type FilterOperator,
  filterOperatorNamed,
  filterOperators,
  isOperatorName,
  type OperatorName,
  operatorNamed,
  valueOperators,
} from "./operators/operators.ts";
export { readPostOperand as readPost } from "./operators/read-post.ts";
export { readUserOperand as readUser } from "./operators/read-values.ts";
