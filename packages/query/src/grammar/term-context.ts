import type { DiagnosticCode, Warning } from "../tree/diagnostics.ts";
import type { Source } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";

/** `end` is that of the group. */
export type GroupedValues = { values: readonly string[]; areAlternatives: boolean; end: number };

export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: QuerySpan, warning: Warning) => void;
  isNegated: boolean;
  /** Including negations. */
  start: number;
  touchesGroup: boolean;
  /** Null unless it is a plain list. */
  groupedValues: GroupedValues | null;
  preceding: { text: string; start: number } | null;
  following: string;
};
