import { EarshotError } from "../../lib/errors.ts";
import { idsOfPage } from "./format.ts";

/**
 * Pages of IDs in memory that all threads of a process share, each in a slot. Whoever reads a page first puts it there. It goes
 * when room is needed and it was not read for a while, which is how pages of files that are gone make room too.
 *
 * Nobody holds a slot: a reader remembers it with its stamp, reads, and asks whether the stamp is still the same, as that
 * changes when the slot is given up. A slot that was given up is written to the next time that the lock is held, not before:
 * whoever sees something new in it sees its new stamp.
 *
 * Nobody waits for the lock for long. A thread that does not get it, be it that another one died with it, does without.
 */
export type SharedIdMemory = { readonly buffer: SharedArrayBuffer; readonly slots: number };

/** Which page it is: four numbers that stand for its segment, and its place there. */
type PageName = { segment: Int32Array; page: number };

/** The slot that a page lies in for as long as the slot has this stamp. */
export type PagePosition = { slot: number; stamp: number };

export type SharedPages = {
  /** The IDs of all slots, `idsOfPage` each. What `Atomics.load` reads here is the page's if `isUnchanged` says so afterwards. */
  ids: BigInt64Array;
  /** Whether the slot still has this stamp. What is asked for lately stays longest. */
  isUnchanged(slot: number, stamp: number): boolean;
  /** Null where no slot has the page, or the lock is taken. */
  find(name: PageName): PagePosition | null;
  /** Puts the page into a slot, unless another thread has. Null where the lock is taken. */
  put(name: PageName, page: BigInt64Array): PagePosition | null;
};

/** How many numbers stand for a segment. */
export const numbersOfSegment = 4;
const numbersOfName = numbersOfSegment + 1;
const bytesOfSlot = idsOfPage * 8 + (1 + numbersOfName + 1 + 1) * 4 + 1;

/** In `control`: the lock; how many slots were ever used; once all were, the one that was given up; the one to look at next. */
const lockAt = 0;
const usedAt = 1;
const spareAt = 2;
const handAt = 3;
const bytesOfControl = 16;

/** How often a thread tries to get the lock: for some microseconds, as long as it is held at most times. */
const lockTries = 200;

/**
 * Memory of at most `maxBytes`; no slots where fewer than two fit. The system gives it as it is written to. Errors:
 * `invalid_setting` where it refuses to.
 */
export function createSharedPages(maxBytes: number): SharedIdMemory {
  const fitting = Math.floor((maxBytes - bytesOfControl) / bytesOfSlot);
  const slots = fitting < 2 ? 0 : fitting;
  try {
    return { buffer: new SharedArrayBuffer(bytesOfControl + slots * bytesOfSlot), slots };
  } catch (error) {
    throw new EarshotError("invalid_setting", `there is no memory of ${maxBytes} bytes for IDs`, {
      hint: "set EARSHOT_MEMORY to less",
      cause: error,
    });
  }
}

/** The calling thread's view of the memory, which has slots. */
export function useSharedPages({ buffer, slots }: SharedIdMemory): SharedPages {
  const control = new Int32Array(buffer, 0, bytesOfControl / 4);
  const ids = new BigInt64Array(buffer, bytesOfControl, slots * idsOfPage);
  let offset = bytesOfControl + ids.byteLength;
  const int32s = (length: number): Int32Array => {
    const view = new Int32Array(buffer, offset, length);
    offset += view.byteLength;
    return view;
  };
  const stamps = int32s(slots);
  const names = int32s(slots * numbersOfName);
  /** Slots whose names have the same hash are a chain. Both hold a slot plus one, or 0. */
  const chains = int32s(slots);
  const following = int32s(slots);
  const wasRead = new Uint8Array(buffer, offset, slots);

  function lock(): boolean {
    for (let tries = 0; tries < lockTries; tries++) {
      if (Atomics.compareExchange(control, lockAt, 0, 1) === 0) return true;
    }
    return false;
  }

  const unlock = (): void => {
    Atomics.store(control, lockAt, 0);
  };

  function isUnchanged(slot: number, stamp: number): boolean {
    if (Atomics.load(stamps, slot) !== stamp) return false;
    if (wasRead[slot] === 0) wasRead[slot] = 1;
    return true;
  }

  function find(name: PageName): PagePosition | null {
    if (!lock()) return null;
    const slot = slotOf(name);
    const place = slot < 0 ? null : placeOf(slot);
    unlock();
    return place;
  }

  function put(name: PageName, page: BigInt64Array): PagePosition | null {
    if (!lock()) return null;
    const found = slotOf(name);
    const place = placeOf(found < 0 ? take(name, page) : found);
    unlock();
    return place;
  }

  const placeOf = (slot: number): PagePosition => ({ slot, stamp: Atomics.load(stamps, slot) });

  function slotOf({ segment, page }: PageName): number {
    let slot = (chains[chainOf(segment[0] as number, page)] as number) - 1;
    while (slot >= 0 && !hasName(slot, segment, page)) slot = (following[slot] as number) - 1;
    return slot;
  }

  function hasName(slot: number, segment: Int32Array, page: number): boolean {
    const at = slot * numbersOfName;
    return (
      names[at] === page &&
      names[at + 1] === segment[0] &&
      names[at + 2] === segment[1] &&
      names[at + 3] === segment[2] &&
      names[at + 4] === segment[3]
    );
  }

  function chainOf(segment: number, page: number): number {
    return ((segment ^ Math.imul(page, 0x9e3779b1)) >>> 0) % slots;
  }

  function take({ segment, page }: PageName, own: BigInt64Array): number {
    const used = control[usedAt] as number;
    const slot = used < slots ? used : (control[spareAt] as number);
    ids.set(own, slot * idsOfPage);
    names[slot * numbersOfName] = page;
    names.set(segment, slot * numbersOfName + 1);
    const chain = chainOf(segment[0] as number, page);
    following[slot] = chains[chain] as number;
    chains[chain] = slot + 1;
    if (used < slots) control[usedAt] = used + 1;
    if (used + 1 >= slots) control[spareAt] = giveUp(slot);
    return slot;
  }

  /** Gives up the next slot but `taken` whose page was not read since it was last looked at. */
  function giveUp(taken: number): number {
    const after = (slot: number): number => (slot + 1 === slots ? 0 : slot + 1);
    let slot = control[handAt] as number;
    // Other threads go on reading meanwhile: twice around is enough.
    for (let left = 2 * slots; left > 0 && (slot === taken || wasRead[slot] === 1); left--) {
      wasRead[slot] = 0;
      slot = after(slot);
    }
    control[handAt] = after(slot);
    Atomics.add(stamps, slot, 1);
    unchain(slot);
    return slot;
  }

  function unchain(slot: number): void {
    const at = slot * numbersOfName;
    const chain = chainOf(names[at + 1] as number, names[at] as number);
    const next = following[slot] as number;
    if (chains[chain] === slot + 1) {
      chains[chain] = next;
      return;
    }
    let before = (chains[chain] as number) - 1;
    while (following[before] !== slot + 1) before = (following[before] as number) - 1;
    following[before] = next;
  }

  return { ids, isUnchanged, find, put };
}
