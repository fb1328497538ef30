import type { DiagnosticCode, DiagnosticDetails, Rewrites } from "../tree/diagnostics.ts";
import type { QueryLeaf } from "../tree/tree.ts";

export type Operand<Value> =
  | { value: Value; warning?: OperandDiagnostic }
  | { error: OperandDiagnostic };

export type OperandDiagnostic = DiagnosticDetails & { code: DiagnosticCode };

type WithoutSpan<Leaf> = Leaf extends unknown ? Omit<Leaf, "span"> : never;

export type BareLeaf = WithoutSpan<QueryLeaf>;

export function operandError(
  code: DiagnosticCode,
  message: string,
  expected: readonly string[],
  hint?: string | Rewrites,
): { error: OperandDiagnostic } {
  return { error: { code, message, expected, ...(hint === undefined ? {} : { hint }) } };
}

export function mapOperand<From, To>(
  operand: Operand<From>,
  make: (value: From) => To,
): Operand<To> {
  return "error" in operand ? operand : { ...operand, value: make(operand.value) };
}

/** Shortened for a message to at most 40 characters. */
export function truncate(text: string): string {
  const characters = Array.from(text.slice(0, 100));
  return characters.length > 40 ? `${characters.slice(0, 40).join("")}…` : text;
}
