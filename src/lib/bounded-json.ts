import { createJsonMeter, type JsonShape } from "./json-shape.ts";

/**
 * What untrusted JSON may hold, so that parsing it never keeps the event loop for 50 ms: different names cost some 2 µs each,
 * short ones of strings and other values 0.2, bytes 5 ns.
 */
export const jsonBounds = {
  deepest: 1_000,
  values: 80_000,
  names: 5_000,
  shortStrings: 60_000,
} as const;

/** So much text cannot hold enough to matter, and is not measured. */
export const smallBytes = 16_384;

/** Why JSON of the shape is not parsed; null for what may be. */
export function shapeRefusal({ deepest, values, names, shortStrings }: JsonShape): string | null {
  if (deepest > jsonBounds.deepest) return `it is nested deeper than ${jsonBounds.deepest} levels`;
  if (values > jsonBounds.values) return `it holds more than ${jsonBounds.values} values`;
  if (names > jsonBounds.names) return `it holds more than ${jsonBounds.names} different names`;
  if (shortStrings > jsonBounds.shortStrings) {
    return `it holds more than ${jsonBounds.shortStrings} short strings`;
  }
  return null;
}

/**
 * The value of JSON text that someone else has written. Everything untrusted is parsed by this, or after a measurement by
 * `shapeRefusal`. The caller bounds the bytes: 4 MiB take no longer than what the bounds allow. Errors: `SyntaxError` for what is
 * no JSON, or more than the bounds allow.
 */
export function parseUntrustedJson(text: string | Uint8Array): unknown {
  if (text.length > smallBytes) {
    const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
    const refusal = shapeRefusal(createJsonMeter()(bytes));
    if (refusal !== null) throw new SyntaxError(refusal);
  }
  return JSON.parse(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
}
