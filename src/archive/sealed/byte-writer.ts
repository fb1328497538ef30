export type Bytes = { readonly bytes: Uint8Array; readonly length: number };

export type ByteWriter = { bytes: Buffer; length: number };

export const createByteWriter = (capacity: number): ByteWriter => ({
  bytes: Buffer.allocUnsafeSlow(capacity),
  length: 0,
});

export function replaceEnd(
  writer: ByteWriter,
  prefixLength: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  writer.length = prefixLength;
  reserve(writer, to - from);
  const target = writer.bytes;
  const shift = prefixLength - from;
  for (let offset = from; offset < to; offset += 1)
    target[offset + shift] = bytes[offset] as number;
  writer.length = to + shift;
}

export function reserve(writer: ByteWriter, extra: number): void {
  const needed = writer.length + extra;
  if (needed <= writer.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, writer.bytes.length * 2));
  writer.bytes.copy(larger, 0, 0, writer.length);
  writer.bytes = larger;
}

export function writeVarint(writer: ByteWriter, value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    writer.bytes[writer.length++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  writer.bytes[writer.length++] = rest;
}

export const varintReserveBytes = 8;
