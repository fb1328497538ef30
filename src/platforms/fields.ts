import { EarshotError } from "../lib/errors.ts";

export function asFields(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Empty for any other value. */
export function list(value: unknown, max: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

/** Only an explicit list may be empty. Errors: `answer_unreadable`. */
export function requireList(value: unknown, max: number, sender: string): readonly unknown[] {
  if (Array.isArray(value)) return value.slice(0, max);
  throw unreadableResponse(sender, "a list is missing");
}

export function unreadableResponse(sender: string, problem: string): EarshotError {
  return new EarshotError("answer_unreadable", `${sender} sent an invalid response: ${problem}`, {
    status: 502,
    retryable: true,
    hint: "retry later",
  });
}

/** Well-formed and cut to `max` UTF-16 code units; null for any other value. */
export function string(value: unknown, max: number): string | null {
  return typeof value === "string" ? value.slice(0, max).toWellFormed() : null;
}
