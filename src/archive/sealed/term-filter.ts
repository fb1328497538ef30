import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Bytes } from "./bytes.ts";
import { assertChecksum, sealedRowChecksum } from "./checksums.ts";
import { SealedDamageError } from "./damage.ts";

/** A Bloom filter of a segment's terms. About one missing term in eighteen passes it. */
export type TermFilter = Uint8Array;

const bitsPerTerm = 6;
const probes = 4;

export function createTermFilter(): { add(term: Bytes): void; end(): TermFilter } {
  const hashes: number[] = [];
  return {
    add({ bytes, length }) {
      hashes.push(mixBits(crc32(bytes.subarray(0, length))));
    },
    end() {
      const filter = new Uint8Array(Math.ceil((hashes.length * bitsPerTerm) / 8));
      for (const hash of hashes) {
        for (let probe = 0; probe < probes; probe += 1) {
          const bit = bitAt(filter, hash, probe);
          filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7));
        }
      }
      return filter;
    },
  };
}

export function mayContain(filter: TermFilter, term: string): boolean {
  if (filter.length === 0) return false;
  const hash = mixBits(crc32(term));
  for (let probe = 0; probe < probes; probe += 1) {
    const bit = bitAt(filter, hash, probe);
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

export function writeTermFilter(segment: DatabaseSync, posts: number, filter: TermFilter): void {
  const checksum = sealedRowChecksum("filter", posts, filter);
  segment.prepare("INSERT INTO sealed_filter VALUES (?, ?)").run(filter, checksum);
}

export function readTermFilter(segment: DatabaseSync, posts: number): TermFilter | null {
  const row = segment.prepare("SELECT bits, sum FROM sealed_filter").get();
  if (row === undefined) return null;
  const { bits, sum } = row;
  if (!(bits instanceof Uint8Array)) throw new SealedDamageError("its term filter is malformed");
  assertChecksum(sum, sealedRowChecksum("filter", posts, bits), "its term filter");
  return bits;
}

/** Double hashing (Kirsch and Mitzenmacher, 2006). */
function bitAt(filter: TermFilter, hash: number, probe: number): number {
  return ((hash + Math.imul(probe, mixBits(hash) | 1)) >>> 0) % (8 * filter.length);
}

/** The finalizer of MurmurHash3. */
function mixBits(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
