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
