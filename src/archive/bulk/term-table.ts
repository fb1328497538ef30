import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { sortTerms } from "./sort-terms.ts";

/** Numbers terms in the order of their first lookup. Stored outside the JavaScript heap. */
export type TermTable = {
  /** Adds the term if it is new. `to` is exclusive. */
  termNumber(bytes: Uint8Array, from: number, to: number): number;
  termCount(): number;
  /** A term ends where the next one starts. */
  text(): { bytes: Uint8Array; starts: Uint32Array };
  sortedNumbers(): Uint32Array;
  memoryBytes(): number;
};

const initialTerms = 1 << 14;
const bytesPerTerm = 16;

/** `key` is secret, to prevent crafted hash collisions. */
export function createTermTable(key: string): TermTable {
  const seed = crc32(`seed ${key}`);
  const factor = (crc32(`factor ${key}`) | 1) >>> 0;
  let bytes = Buffer.allocUnsafeSlow(initialTerms * bytesPerTerm);
  let starts = new Uint32Array(initialTerms + 1);
  let hashes = new Uint32Array(initialTerms);
  let entries = new Uint32Array(initialTerms * 4);
  let count = 0;

  function hashTerm(text: Uint8Array, from: number, to: number): number {
    let hash = seed;
    for (let offset = from; offset < to; offset += 1) {
      hash = Math.imul(hash ^ (text[offset] as number), factor);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  function isTerm(number: number, text: Uint8Array, from: number, to: number): boolean {
    const start = starts[number] as number;
    if ((starts[number + 1] as number) - start !== to - from) return false;
    for (let offset = from, storedOffset = start; offset < to; offset += 1, storedOffset += 1) {
      if (text[offset] !== bytes[storedOffset]) return false;
    }
    return true;
  }

  function add(text: Uint8Array, from: number, to: number, hash: number): number {
    if (count === hashes.length) grow();
    const start = starts[count] as number;
    const end = start + to - from;
    if (end > bytes.length) {
      const grownBytes = Buffer.allocUnsafeSlow(Math.max(end, bytes.length * 2));
      grownBytes.set(bytes.subarray(0, start));
      bytes = grownBytes;
    }
    for (let offset = from, storedOffset = start; offset < to; offset += 1, storedOffset += 1)
      bytes[storedOffset] = text[offset] as number;
    hashes[count] = hash;
    count += 1;
    starts[count] = end;
    return count - 1;
  }

  function grow(): void {
    const terms = count * 2;
    const [oldStarts, oldHashes] = [starts, hashes];
    starts = new Uint32Array(terms + 1);
    starts.set(oldStarts);
    hashes = new Uint32Array(terms);
    hashes.set(oldHashes);
    entries = new Uint32Array(terms * 4);
    for (let number = 0; number < count; number += 1) addEntry(number);
  }

  function addEntry(number: number): void {
    const mask = entries.length - 1;
    const hash = hashes[number] as number;
    let offset = (hash * 2) & mask;
    while (entries[offset + 1] !== 0) offset = (offset + 2) & mask;
    entries[offset] = hash;
    entries[offset + 1] = number + 1;
  }

  return {
    termNumber(text, from, to) {
      const hash = hashTerm(text, from, to);
      const mask = entries.length - 1;
      for (let offset = (hash * 2) & mask; ; offset = (offset + 2) & mask) {
        const entry = entries[offset + 1] as number;
        if (entry === 0) break;
        if (entries[offset] === hash && isTerm(entry - 1, text, from, to)) return entry - 1;
      }
      const number = add(text, from, to, hash);
      addEntry(number);
      return number;
    },
    termCount: () => count,
    text: () => ({ bytes, starts }),
    sortedNumbers: () => sortTerms(bytes, starts, count),
    memoryBytes: () => bytes.length + 4 * (starts.length + hashes.length + entries.length),
  };
}
