import type { DiagnosticCode, Rewrites, Warning } from "../tree/diagnostics.ts";
import type { QueryLeaf } from "../tree/tree.ts";

export type Operand<Value> = { value: Value; warning?: OperandError } | { error: OperandError };

export type OperandError = Warning & { code: DiagnosticCode };

type WithoutSpan<Leaf> = Leaf extends unknown ? Omit<Leaf, "span"> : never;

export type BareLeaf = WithoutSpan<QueryLeaf>;

export function operandError(
  code: DiagnosticCode,
  message: string,
  expected: readonly string[],
  hint?: string | Rewrites,
): { error: OperandError } {
  return { error: { code, message, expected, ...(hint === undefined ? {} : { hint }) } };
}

export function mapOperand<From, To>(
  operand: Operand<From>,
  make: (value: From) => To,
): Operand<To> {
  return "error" in operand ? operand : { ...operand, value: make(operand.value) };
}

export function shown(value: string): string {
  const characters = Array.from(value.slice(0, 100));
  return characters.length > 40 ? `${characters.slice(0, 40).join("")}…` : value;
}
