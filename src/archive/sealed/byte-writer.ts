/** The first `length` of these bytes. What lies beyond means nothing. */
export type Bytes = { readonly bytes: Uint8Array; readonly length: number };

/** Bytes that grow as they are written. What lies beyond `length` means nothing. */
export type ByteWriter = { bytes: Buffer; length: number };

export const createByteWriter = (capacity: number): ByteWriter => ({
  bytes: Buffer.allocUnsafeSlow(capacity),
  length: 0,
});

/** Keeps the first bytes, so many, and puts `bytes` from one place to another behind them. */
export function replaceEnd(
  writer: ByteWriter,
  kept: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  writer.length = kept;
  reserve(writer, to - from);
  const into = writer.bytes;
  const shift = kept - from;
  for (let at = from; at < to; at += 1) into[at + shift] = bytes[at] as number;
  writer.length = to + shift;
}

/** Makes room for so many bytes after those that are written. */
export function reserve(writer: ByteWriter, extra: number): void {
  const needed = writer.length + extra;
  if (needed <= writer.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, writer.bytes.length * 2));
  writer.bytes.copy(larger, 0, 0, writer.length);
  writer.bytes = larger;
}

/** Writes an integer of up to 53 bits, not below 0; needs up to eight bytes of room. */
export function writeVarint(writer: ByteWriter, value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    writer.bytes[writer.length++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  writer.bytes[writer.length++] = rest;
}

/** The most bytes that `writeVarint` needs. */
export const bytesOfVarint = 8;
