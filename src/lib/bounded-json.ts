import { createJsonMeter, type JsonShape } from "./json-shape.ts";

/**
 * Limits that keep parsing below 50 ms: distinct names cost about 2 µs each, short strings and
 * other values 0.2 µs, bytes 5 ns.
 */
export const jsonBounds = {
  deepest: 1_000,
  values: 80_000,
  names: 5_000,
  shortStrings: 60_000,
} as const;

export const maxUncheckedBytes = 16_384;

export function shapeRefusal({ deepest, values, names, shortStrings }: JsonShape): string | null {
  if (deepest > jsonBounds.deepest) return `it is nested deeper than ${jsonBounds.deepest} levels`;
  if (values > jsonBounds.values) return `it has more than ${jsonBounds.values} values`;
  if (names > jsonBounds.names) return `it has more than ${jsonBounds.names} different names`;
  if (shortStrings > jsonBounds.shortStrings) {
    return `it has more than ${jsonBounds.shortStrings} short strings`;
  }
  return null;
}

/** The caller must limit the length. Errors: `SyntaxError` if malformed or beyond the limits. */
export function parseUntrustedJson(text: string | Uint8Array): unknown {
  if (text.length > maxUncheckedBytes) {
    const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
    const refusal = shapeRefusal(createJsonMeter()(bytes));
    if (refusal !== null) throw new SyntaxError(refusal);
  }
  return JSON.parse(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
}
