import type { DiagnosticCode, Rewrites, Warning } from "./diagnostics.ts";
import type { QueryLeaf } from "./tree.ts";

/** What reading the value of an operator comes to: the value and perhaps a warning, or the fault and how to mend it. */
export type Operand<Value> = { value: Value; warning?: OperandError } | { fault: OperandError };

export type OperandError = Warning & { code: DiagnosticCode };

type WithoutSpan<Leaf> = Leaf extends unknown ? Omit<Leaf, "span"> : never;

/** A leaf that does not know its place. */
export type BareLeaf = WithoutSpan<QueryLeaf>;

export function fault(
  code: DiagnosticCode,
  message: string,
  expected: readonly string[],
  hint?: string | Rewrites,
): { fault: OperandError } {
  return { fault: { code, message, expected, ...(hint === undefined ? {} : { hint }) } };
}

/** The operand with its value made into something else; a fault stays itself. */
export function mapOperand<From, To>(
  operand: Operand<From>,
  make: (value: From) => To,
): Operand<To> {
  return "fault" in operand ? operand : { ...operand, value: make(operand.value) };
}

/** A value as a message shows it: whole when short, else its start. */
export function shown(value: string): string {
  const characters = Array.from(value.slice(0, 100));
  return characters.length > 40 ? `${characters.slice(0, 40).join("")}…` : value;
}
