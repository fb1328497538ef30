import type { DiagnosticCode, Remark } from "./diagnostics.ts";

/** What reading the value of an operator comes to: the value, or the fault and how to mend it. */
export type Operand<Value> = { value: Value } | { fault: Fault };

export type Fault = Remark & { code: DiagnosticCode };

export function fault(
  code: DiagnosticCode,
  message: string,
  expected: readonly string[],
  hint?: string,
): { fault: Fault } {
  return { fault: { code, message, expected, ...(hint === undefined ? {} : { hint }) } };
}

/** A value as a message shows it: whole when short, else its start. */
export function shown(value: string): string {
  const characters = Array.from(value);
  return characters.length > 40 ? `${characters.slice(0, 40).join("")}…` : value;
}
