/** The fields of a JSON object; none of anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first `most` items of a JSON list; none of anything else. */
export function list(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

/** A string cut to `most` UTF-16 code units, in a form that UTF-8 can hold; null for anything else. */
export function string(value: unknown, most: number): string | null {
  return typeof value === "string" ? value.slice(0, most).toWellFormed() : null;
}
