import { postsPerChunk, wordsPerBitmap } from "./format.ts";
import type { Scratch } from "./scratch.ts";
import { seek } from "./seek.ts";

/**
 * A set of posts in one chunk, in the form of the stored container.
 *
 * If `list` is set, the members are `list[start]` to `list[start + count - 1]`. If `bits` is set,
 * `count` is an upper bound. The positions are in row `row`, from rank `base`.
 */
export type ChunkSet = {
  readonly list: Uint16Array | null;
  readonly bits: Uint32Array | null;
  readonly start: number;
  readonly count: number;
  readonly row: number;
  readonly base: number;
};

export const listSet = (
  list: Uint16Array,
  count: number,
  start = 0,
  row = 0,
  base = 0,
): ChunkSet => ({
  list,
  bits: null,
  start,
  count,
  row,
  base,
});

export const bitmapSet = (bits: Uint32Array, count: number, row = 0, base = 0): ChunkSet => ({
  list: null,
  bits,
  start: 0,
  count,
  row,
  base,
});

export const emptySet: ChunkSet = listSet(new Uint16Array(0), 0);

export function and(a: ChunkSet, b: ChunkSet, scratch: Scratch): ChunkSet {
  if (a.count === 0 || b.count === 0) return emptySet;
  if (a.bits !== null && b.bits !== null) return andBitmaps(a, b, scratch);
  const swap = a.list === null || (b.list !== null && b.count < a.count);
  const smaller = swap ? b : a;
  const larger = swap ? a : b;
  const out = scratch.acquire().list;
  return nonEmpty(out, intersect(smaller, larger, out));
}

function andBitmaps(a: ChunkSet, b: ChunkSet, scratch: Scratch): ChunkSet {
  const left = a.bits as Uint32Array;
  const right = b.bits as Uint32Array;
  const out = scratch.acquire().bits;
  let anyBits = 0;
  for (let word = 0; word < wordsPerBitmap; word++) {
    const commonBits = (left[word] as number) & (right[word] as number);
    out[word] = commonBits;
    anyBits |= commonBits;
  }
  return anyBits === 0 ? emptySet : bitmapSet(out, Math.min(a.count, b.count));
}

const nonEmpty = (list: Uint16Array, count: number): ChunkSet =>
  count === 0 ? emptySet : listSet(list, count);

const gallopRatio = 24;

function intersect(smaller: ChunkSet, larger: ChunkSet, out: Uint16Array): number {
  if (larger.bits !== null) return probe(smaller, larger.bits, 0, out);
  return larger.count > gallopRatio * smaller.count
    ? gallop(smaller, larger, out)
    : merge(smaller, larger, out);
}

export function addTo(bits: Uint32Array, set: ChunkSet): void {
  const { list, start } = set;
  if (list === null) {
    const otherBits = set.bits as Uint32Array;
    for (let word = 0; word < wordsPerBitmap; word++) {
      bits[word] = (bits[word] as number) | (otherBits[word] as number);
    }
    return;
  }
  for (let index = start, end = start + set.count; index < end; index++) {
    const member = list[index] as number;
    bits[member >>> 5] = (bits[member >>> 5] as number) | (1 << (member & 31));
  }
}

export function or(sets: Iterable<ChunkSet>, scratch: Scratch): ChunkSet {
  const out = scratch.acquire().bits.fill(0);
  let count = 0;
  for (const set of sets) {
    addTo(out, set);
    count += set.count;
  }
  return count === 0 ? emptySet : bitmapSet(out, Math.min(count, postsPerChunk));
}

export function andNot(a: ChunkSet, b: ChunkSet, scratch: Scratch): ChunkSet {
  if (a.count === 0 || b.count === 0) return a;
  if (a.list === null) return clearedBitmap(a, b, scratch.acquire().bits);
  const out = scratch.acquire().list;
  return nonEmpty(out, b.bits === null ? subtract(a, b, out) : probe(a, b.bits, 1, out));
}

function clearedBitmap(a: ChunkSet, b: ChunkSet, out: Uint32Array): ChunkSet {
  const bits = a.bits as Uint32Array;
  const { list, start } = b;
  if (list === null) {
    const removedBits = b.bits as Uint32Array;
    for (let word = 0; word < wordsPerBitmap; word++) {
      out[word] = (bits[word] as number) & ~(removedBits[word] as number);
    }
    return bitmapSet(out, a.count);
  }
  out.set(bits);
  for (let index = start, end = start + b.count; index < end; index++) {
    const member = list[index] as number;
    out[member >>> 5] = (out[member >>> 5] as number) & ~(1 << (member & 31));
  }
  return bitmapSet(out, a.count);
}

function probe(set: ChunkSet, bits: Uint32Array, excludedBit: 0 | 1, out: Uint16Array): number {
  const list = set.list as Uint16Array;
  let count = 0;
  for (let index = set.start, end = set.start + set.count; index < end; index++) {
    const member = list[index] as number;
    out[count] = member;
    count += (((bits[member >>> 5] as number) >>> (member & 31)) & 1) ^ excludedBit;
  }
  return count;
}

function merge(a: ChunkSet, b: ChunkSet, out: Uint16Array): number {
  const left = a.list as Uint16Array;
  const right = b.list as Uint16Array;
  const leftEnd = a.start + a.count;
  const rightEnd = b.start + b.count;
  let i = a.start;
  let j = b.start;
  let count = 0;
  while (i < leftEnd && j < rightEnd) {
    const member = left[i] as number;
    const difference = member - (right[j] as number);
    out[count] = member;
    count += ((difference | -difference) >>> 31) ^ 1;
    i += (difference - 1) >>> 31;
    j += ~difference >>> 31;
  }
  return count;
}

function gallop(smaller: ChunkSet, larger: ChunkSet, out: Uint16Array): number {
  const targets = smaller.list as Uint16Array;
  const list = larger.list as Uint16Array;
  const end = larger.start + larger.count;
  let count = 0;
  let next = larger.start;
  for (let index = smaller.start, last = smaller.start + smaller.count; index < last; index++) {
    const member = targets[index] as number;
    next = seek(list, next, end, member);
    if (next === end) break;
    if (list[next] === member) {
      out[count] = member;
      count += 1;
    }
  }
  return count;
}

function subtract(a: ChunkSet, b: ChunkSet, out: Uint16Array): number {
  const list = a.list as Uint16Array;
  const removedMembers = b.list as Uint16Array;
  const end = b.start + b.count;
  let count = 0;
  let next = b.start;
  for (let index = a.start, last = a.start + a.count; index < last; index++) {
    const member = list[index] as number;
    next = seek(removedMembers, next, end, member);
    if (next < end && removedMembers[next] === member) continue;
    out[count] = member;
    count += 1;
  }
  return count;
}

export function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countBits(bits: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < wordsPerBitmap; word++) count += popcount(bits[word] as number);
  return count;
}

function bitsBetween(word: number, bits: number, from: number, to: number): number {
  const first = word << 5;
  let bitsInRange = bits;
  if (first < from) bitsInRange &= -1 << (from & 31);
  if (first + 32 > to) bitsInRange &= ~(-1 << (to & 31));
  return bitsInRange;
}

export function readMembers(
  set: ChunkSet,
  from: number,
  to: number,
  out: Uint16Array,
  max: number,
): number {
  const { list, bits } = set;
  let count = 0;
  if (list !== null) {
    const end = set.start + set.count;
    for (let index = seek(list, set.start, end, from); index < end && count < max; index++) {
      const member = list[index] as number;
      if (member >= to) break;
      out[count] = member;
      count += 1;
    }
    return count;
  }
  for (let word = from >>> 5; word << 5 < to && count < max; word++) {
    let remainingBits = bitsBetween(word, (bits as Uint32Array)[word] as number, from, to);
    for (; remainingBits !== 0 && count < max; remainingBits &= remainingBits - 1) {
      out[count] = (word << 5) | (31 - Math.clz32(remainingBits & -remainingBits));
      count += 1;
    }
  }
  return count;
}

export function countBetween(set: ChunkSet, from: number, to: number): number {
  const { list, bits, start } = set;
  if (list !== null) {
    const end = start + set.count;
    return Math.max(0, seek(list, start, end, to) - seek(list, start, end, from));
  }
  let count = 0;
  for (let word = from >>> 5; word << 5 < to; word++) {
    count += popcount(bitsBetween(word, (bits as Uint32Array)[word] as number, from, to));
  }
  return count;
}

export function computeRanks(
  set: ChunkSet,
  subset: Uint16Array,
  count: number,
  out: Uint32Array,
): void {
  const { list, bits, start, base } = set;
  if (list !== null) {
    const end = start + set.count;
    let next = start;
    for (let index = 0; index < count; index++) {
      next = seek(list, next, end, subset[index] as number);
      out[index] = base + next - start;
    }
    return;
  }
  const words = bits as Uint32Array;
  let word = 0;
  let rank = base;
  for (let index = 0; index < count; index++) {
    const member = subset[index] as number;
    for (; word < member >>> 5; word++) rank += popcount(words[word] as number);
    out[index] = rank + popcount((words[word] as number) & ((1 << (member & 31)) - 1));
  }
}
