import type { DiagnosticCode, DiagnosticDetails } from "../tree/diagnostics.ts";
import type { Source } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";

/** `end`: the offset of the group's end. */
export type GroupedValues = { values: readonly string[]; areAlternatives: boolean; end: number };

export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: QuerySpan, details: DiagnosticDetails) => void;
  isNegated: boolean;
  /** Offset of the term with its negations. */
  start: number;
  touchesGroup: boolean;
  /** Of the group after an operator (`from:(a OR b)`); null unless it is a plain list. */
  groupedValues: GroupedValues | null;
  preceding: { text: string; start: number } | null;
  following: string;
};
