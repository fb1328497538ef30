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

/** Joining the strings before encoding them takes four times as long. */
export function jsonArray(texts: readonly string[]): Uint8Array {
  let length = 2 + Math.max(0, texts.length - 1);
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = bytes.write("[");
  for (const [index, text] of texts.entries()) {
    if (index > 0) end += bytes.write(",", end);
    end += bytes.write(text, end);
  }
  bytes.write("]", end);
  return bytes;
}
