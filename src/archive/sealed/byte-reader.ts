import { SealedDamage } from "./damage.ts";

export type ByteReader = { bytes: Uint8Array; at: number };

const maxVarintBytes = 5;

export function readVarint(reader: ByteReader): number {
  const { bytes } = reader;
  let offset = reader.at;
  const end = Math.min(bytes.length, offset + maxVarintBytes);
  let value = 0;
  for (let scale = 1; offset < end; scale *= 128) {
    const byte = bytes[offset] as number;
    offset += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      reader.at = offset;
      return value;
    }
  }
  throw new SealedDamage("a varint in the dictionary is truncated or too long");
}

export function skipVarints(reader: ByteReader, count: number): void {
  const { bytes } = reader;
  let offset = reader.at;
  for (let remaining = count; remaining > 0; offset++) {
    if (offset >= bytes.length) throw new SealedDamage("a dictionary entry is truncated");
    if ((bytes[offset] as number) < 0x80) remaining -= 1;
  }
  reader.at = offset;
}

export function skipPositions(reader: ByteReader, posts: number): void {
  const { bytes } = reader;
  let offset = reader.at;
  for (let remaining = posts; remaining > 0; offset++) {
    const follows = (bytes[offset] as number) & 1;
    while ((bytes[offset] as number) >= 0x80) offset += 1;
    if (offset >= bytes.length) throw new SealedDamage("a dictionary entry is truncated");
    remaining -= follows ^ 1;
  }
  reader.at = offset;
}
