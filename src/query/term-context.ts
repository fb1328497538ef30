import type { Source } from "./characters.ts";
import type { DiagnosticCode, Remark } from "./diagnostics.ts";
import type { Span } from "./tree.ts";

/** What the reading of one term may use of the reading of the whole query. */
export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: Span, remark: Remark) => void;
  /** Whether an odd number of negations stands before the term. */
  isNegated: boolean;
  /** Whether an opening parenthesis touches the term's end. */
  touchesGroup: boolean;
  /** What follows the term, up to the next white space. */
  following: string;
};
