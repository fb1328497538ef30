import { EarshotError } from "../../lib/errors.ts";
import { idsPerPage } from "./format.ts";

/**
 * A cache of ID pages shared by all threads, with one page per slot and clock eviction.
 *
 * Reads are lock-free, as in a seqlock: read, then check the slot's stamp. An evicted slot gets a
 * new stamp first and is overwritten under the next lock, so a reader of new data also sees the new
 * stamp. A thread that cannot get the lock soon, perhaps because its owner has died, works without
 * the cache.
 */
export type SharedIdCache = { readonly buffer: SharedArrayBuffer; readonly slots: number };

type PageKey = { segment: Int32Array; page: number };

/** Valid while the slot has this stamp. */
export type PagePosition = { slot: number; stamp: number };

export type SharedPages = {
  /** A value from `Atomics.load` is valid if `isUnchanged` returns true afterwards. */
  ids: BigInt64Array;
  /** Also marks the page as recently used. */
  isUnchanged(slot: number, stamp: number): boolean;
  /** Null if the page is missing or the lock is taken. */
  find(key: PageKey): PagePosition | null;
  /** Null if the lock is taken. */
  put(key: PageKey, page: BigInt64Array): PagePosition | null;
};

export const identityWords = 4;
const keyWords = identityWords + 1;
const slotBytes = idsPerPage * 8 + (1 + keyWords + 1 + 1) * 4 + 1;

/**
 * Indexes in `words`: lock, number of slots used so far, evicted slot (if all were used), clock
 * hand.
 */
const lockIndex = 0;
const usedIndex = 1;
const spareIndex = 2;
const handIndex = 3;
const headerBytes = 16;

/** A few microseconds, as long as a thread usually holds the lock. */
const lockTries = 200;

/** Has no slots if fewer than two fit. Errors: `invalid_setting` if allocation fails. */
export function createSharedPages(maxBytes: number): SharedIdCache {
  const maxSlots = Math.floor((maxBytes - headerBytes) / slotBytes);
  const slots = maxSlots < 2 ? 0 : maxSlots;
  try {
    return { buffer: new SharedArrayBuffer(headerBytes + slots * slotBytes), slots };
  } catch (error) {
    throw new EarshotError(
      "invalid_setting",
      `cannot allocate ${maxBytes} bytes for the ID cache`,
      {
        hint: "reduce EARSHOT_MEMORY",
        cause: error,
      },
    );
  }
}

/** The cache must have slots. */
export function useSharedPages({ buffer, slots }: SharedIdCache): SharedPages {
  const words = new Int32Array(buffer, 0, headerBytes / 4);
  const ids = new BigInt64Array(buffer, headerBytes, slots * idsPerPage);
  let offset = headerBytes + ids.byteLength;
  const int32 = (length: number): Int32Array => {
    const view = new Int32Array(buffer, offset, length);
    offset += view.byteLength;
    return view;
  };
  const stamps = int32(slots);
  const keys = int32(slots * keyWords);
  /** Hash chains; a value is a slot plus one, or 0 at the end. */
  const chains = int32(slots);
  const nextInChain = int32(slots);
  const wasRead = new Uint8Array(buffer, offset, slots);

  function lock(): boolean {
    for (let tries = 0; tries < lockTries; tries++) {
      if (Atomics.compareExchange(words, lockIndex, 0, 1) === 0) return true;
    }
    return false;
  }

  const unlock = (): void => {
    Atomics.store(words, lockIndex, 0);
  };

  function isUnchanged(slot: number, stamp: number): boolean {
    if (Atomics.load(stamps, slot) !== stamp) return false;
    if (wasRead[slot] === 0) wasRead[slot] = 1;
    return true;
  }

  function find(key: PageKey): PagePosition | null {
    if (!lock()) return null;
    const slot = findSlot(key);
    const position = slot < 0 ? null : makePosition(slot);
    unlock();
    return position;
  }

  function put(key: PageKey, page: BigInt64Array): PagePosition | null {
    if (!lock()) return null;
    const foundSlot = findSlot(key);
    const position = makePosition(foundSlot < 0 ? occupySlot(key, page) : foundSlot);
    unlock();
    return position;
  }

  const makePosition = (slot: number): PagePosition => ({
    slot,
    stamp: Atomics.load(stamps, slot),
  });

  function findSlot({ segment, page }: PageKey): number {
    let slot = (chains[segmentChain(segment[0] as number, page)] as number) - 1;
    while (slot >= 0 && !hasKey(slot, segment, page)) slot = (nextInChain[slot] as number) - 1;
    return slot;
  }

  function hasKey(slot: number, segment: Int32Array, page: number): boolean {
    const index = slot * keyWords;
    return (
      keys[index] === page &&
      keys[index + 1] === segment[0] &&
      keys[index + 2] === segment[1] &&
      keys[index + 3] === segment[2] &&
      keys[index + 4] === segment[3]
    );
  }

  function segmentChain(segment: number, page: number): number {
    return ((segment ^ Math.imul(page, 0x9e3779b1)) >>> 0) % slots;
  }

  function occupySlot({ segment, page }: PageKey, pageIds: BigInt64Array): number {
    const usedSlots = words[usedIndex] as number;
    const slot = usedSlots < slots ? usedSlots : (words[spareIndex] as number);
    ids.set(pageIds, slot * idsPerPage);
    keys[slot * keyWords] = page;
    keys.set(segment, slot * keyWords + 1);
    const chain = segmentChain(segment[0] as number, page);
    nextInChain[slot] = chains[chain] as number;
    chains[chain] = slot + 1;
    if (usedSlots < slots) words[usedIndex] = usedSlots + 1;
    if (usedSlots + 1 >= slots) words[spareIndex] = evictNext(slot);
    return slot;
  }

  function evictNext(newSlot: number): number {
    const nextSlot = (slot: number): number => (slot + 1 === slots ? 0 : slot + 1);
    let slot = words[handIndex] as number;
    // Scans at most two rounds, because other threads may concurrently mark pages as read.
    for (
      let remaining = 2 * slots;
      remaining > 0 && (slot === newSlot || wasRead[slot] === 1);
      remaining--
    ) {
      wasRead[slot] = 0;
      slot = nextSlot(slot);
    }
    words[handIndex] = nextSlot(slot);
    Atomics.add(stamps, slot, 1);
    unchain(slot);
    return slot;
  }

  function unchain(slot: number): void {
    const index = slot * keyWords;
    const chain = segmentChain(keys[index + 1] as number, keys[index] as number);
    const next = nextInChain[slot] as number;
    if (chains[chain] === slot + 1) {
      chains[chain] = next;
      return;
    }
    let previousSlot = (chains[chain] as number) - 1;
    while (nextInChain[previousSlot] !== slot + 1)
      previousSlot = (nextInChain[previousSlot] as number) - 1;
    nextInChain[previousSlot] = next;
  }

  return { ids, isUnchanged, find, put };
}
