import { crc32 } from "node:zlib";
import { SealedDamageError } from "./damage.ts";

export const sealedRowChecksum = (
  table: string,
  key: number,
  ...blobs: readonly Uint8Array[]
): number => blobs.reduce((checksum, blob) => crc32(blob, checksum), crc32(`${table} ${key}`));

/** `next` is the first term of the next block. */
export function blockChecksum(
  first: Uint8Array,
  next: Uint8Array | null,
  block: Uint8Array,
): number {
  const start = crc32(first, crc32(`terms ${first.length} ${next?.length ?? -1}`));
  return crc32(block, next === null ? start : crc32(next, start));
}

export type SealedHeader = {
  format: number;
  posts: number;
  sealedMs: number;
  firstIds: Uint8Array;
  pageChecksums: Uint8Array;
  first: Uint8Array | null;
};

export function headerChecksum({
  format,
  posts,
  sealedMs,
  firstIds,
  pageChecksums,
  first,
}: SealedHeader): number {
  const start = crc32(`sealed ${format} ${posts} ${sealedMs} ${first?.length ?? -1}`);
  const checksum = crc32(pageChecksums, crc32(firstIds, start));
  return first === null ? checksum : crc32(first, checksum);
}

export function assertChecksum(stored: unknown, computed: number, subject: string): void {
  if (stored !== computed) throw new SealedDamageError(`${subject} does not match its checksum`);
}
