import { SealedDamage } from "./damage.ts";

export type ByteReader = { bytes: Uint8Array; at: number };

const maxVarintBytes = 5;

export function readVarint(reader: ByteReader): number {
  const { bytes } = reader;
  let at = reader.at;
  const end = Math.min(bytes.length, at + maxVarintBytes);
  let value = 0;
  for (let scale = 1; at < end; scale *= 128) {
    const byte = bytes[at] as number;
    at += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      reader.at = at;
      return value;
    }
  }
  throw new SealedDamage("a varint in the dictionary is truncated or too long");
}

export function skipVarints(reader: ByteReader, count: number): void {
  const { bytes } = reader;
  let at = reader.at;
  for (let left = count; left > 0; at++) {
    if (at >= bytes.length) throw new SealedDamage("a dictionary entry is truncated");
    if ((bytes[at] as number) < 0x80) left -= 1;
  }
  reader.at = at;
}

export function skipPositions(reader: ByteReader, posts: number): void {
  const { bytes } = reader;
  let at = reader.at;
  for (let left = posts; left > 0; at++) {
    const follows = (bytes[at] as number) & 1;
    while ((bytes[at] as number) >= 0x80) at += 1;
    if (at >= bytes.length) throw new SealedDamage("a dictionary entry is truncated");
    left -= follows ^ 1;
  }
  reader.at = at;
}
