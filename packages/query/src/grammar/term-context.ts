import type { DiagnosticCode, Warning } from "../tree/diagnostics.ts";
import type { Source } from "../tree/source.ts";
import type { Span } from "../tree/tree.ts";

/** The values of a group, whether they are separated by `OR`, and the group's end. */
export type GroupedValues = { values: readonly string[]; areAlternatives: boolean; end: number };

export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: Span, remark: Warning) => void;
  /** Whether an odd number of negations precedes the term. */
  isNegated: boolean;
  /** Start of the term, including negations. */
  start: number;
  touchesGroup: boolean;
  /** Values of the group that directly follows the term; null if there is none or it is not a plain list. */
  groupedValues: GroupedValues | null;
  /** The adjacent term before this one, or null. */
  preceding: { text: string; start: number } | null;
  /** The text after the term, up to the next white space. */
  following: string;
};
