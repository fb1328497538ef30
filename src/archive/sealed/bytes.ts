import { SealedDamageError } from "./damage.ts";

export type ByteReader = { bytes: Uint8Array; offset: number };

const maxVarintBytes = 5;

export function readVarint(reader: ByteReader): number {
  const { bytes } = reader;
  let offset = reader.offset;
  const end = Math.min(bytes.length, offset + maxVarintBytes);
  let value = 0;
  for (let scale = 1; offset < end; scale *= 128) {
    const byte = bytes[offset] as number;
    offset += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      reader.offset = offset;
      return value;
    }
  }
  throw new SealedDamageError("a varint in the dictionary is truncated or too long");
}

export function skipVarints(reader: ByteReader, count: number): void {
  const { bytes } = reader;
  let offset = reader.offset;
  for (let remaining = count; remaining > 0; offset++) {
    if (offset >= bytes.length) throw new SealedDamageError("a dictionary entry is truncated");
    if ((bytes[offset] as number) < 0x80) remaining -= 1;
  }
  reader.offset = offset;
}

export function skipPositions(reader: ByteReader, posts: number): void {
  const { bytes } = reader;
  let offset = reader.offset;
  for (let remaining = posts; remaining > 0; offset++) {
    const moreBit = (bytes[offset] as number) & 1;
    while ((bytes[offset] as number) >= 0x80) offset += 1;
    if (offset >= bytes.length) throw new SealedDamageError("a dictionary entry is truncated");
    remaining -= moreBit ^ 1;
  }
  reader.offset = offset;
}

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
  const neededBytes = writer.length + extra;
  if (neededBytes <= writer.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, writer.bytes.length * 2));
  writer.bytes.copy(larger, 0, 0, writer.length);
  writer.bytes = larger;
}

export function writeVarint(writer: ByteWriter, value: number): void {
  let remainder = value;
  while (remainder >= 0x80) {
    writer.bytes[writer.length++] = (remainder % 0x80) | 0x80;
    remainder = Math.floor(remainder / 0x80);
  }
  writer.bytes[writer.length++] = remainder;
}

export const varintReserveBytes = 8;

export const alignedTo64Bits = (blob: Uint8Array): Uint8Array =>
  blob.byteOffset % 8 === 0 ? blob : Uint8Array.from(blob);
