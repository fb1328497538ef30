import { crc32 } from "node:zlib";
import { SealedDamage } from "./damage.ts";

export const sealedRowSum = (table: string, key: number, ...blobs: readonly Uint8Array[]): number =>
  blobs.reduce((sum, blob) => crc32(blob, sum), crc32(`${table} ${key}`));

/** `next`: first term of the next block. */
export function blockSum(first: Uint8Array, next: Uint8Array | null, block: Uint8Array): number {
  const start = crc32(first, crc32(`terms ${first.length} ${next?.length ?? -1}`));
  return crc32(block, next === null ? start : crc32(next, start));
}

export type SealedHead = {
  format: number;
  posts: number;
  sealedMs: number;
  heads: Uint8Array;
  pageSums: Uint8Array;
  first: Uint8Array | null;
};

export function headSum({ format, posts, sealedMs, heads, pageSums, first }: SealedHead): number {
  const start = crc32(`sealed ${format} ${posts} ${sealedMs} ${first?.length ?? -1}`);
  const sum = crc32(pageSums, crc32(heads, start));
  return first === null ? sum : crc32(first, sum);
}

export function assertSum(stored: unknown, sum: number, what: string): void {
  if (stored !== sum) throw new SealedDamage(`${what} does not match its checksum`);
}
