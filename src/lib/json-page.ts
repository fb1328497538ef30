import { jsonArray } from "./json-array.ts";

export type JsonPage = { body: Uint8Array; lengths: Uint32Array };

export const jsonPage = (texts: readonly string[]): JsonPage => ({
  body: jsonArray(texts),
  lengths: Uint32Array.from(texts, (text) => Buffer.byteLength(text)),
});

export function splitJsonPage({ body, lengths }: JsonPage): string[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let start = 1;
  return Array.from(lengths, (length) => {
    const text = bytes.toString("utf8", start, start + length);
    start += length + 1;
    return text;
  });
}
