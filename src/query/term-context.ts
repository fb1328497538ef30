import type { Source } from "./characters.ts";
import type { DiagnosticCode, Warning } from "./diagnostics.ts";
import type { Span } from "./tree.ts";

/** The values of a group, whether `OR` stands between them, and where the group ends. */
export type GroupedValues = { values: readonly string[]; areAlternatives: boolean; end: number };

/** What the reading of one term may use of the reading of the whole query. */
export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: Span, remark: Warning) => void;
  /** Whether an odd number of negations stands before the term. */
  isNegated: boolean;
  /** Where the term begins, with the negations before it. */
  start: number;
  /** Whether an opening parenthesis touches the term's end. */
  touchesGroup: boolean;
  /** What the group holds that touches the term's end; null where there is none, or no plain list of values. */
  groupedValues: GroupedValues | null;
  /** The term right before this one, when there is one. */
  preceding: { text: string; start: number } | null;
  /** What follows the term, up to the next white space. */
  following: string;
};
