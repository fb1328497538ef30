import { createHash } from "node:crypto";
import { idsOfPage } from "./format.ts";
import { createRecentPages, type RecentPages } from "./recent-pages.ts";
import {
  createSharedPages,
  numbersOfSegment,
  type PagePosition,
  type SharedIdMemory,
  type SharedPages,
  useSharedPages,
} from "./shared-pages.ts";

/** The IDs of one sealed segment as they lie in its file: `heads` is the first one of every page, `read` reads a page. */
export type IdSource = {
  /** The same for the same file in all threads. */
  name: string;
  posts: number;
  heads: BigInt64Array;
  read(page: number): BigInt64Array;
};

/** The IDs of one sealed segment, newest first. */
export type Ids = {
  at(number: number): bigint;
  /** The number of the first post of the page whose ID is below `id`, or the number after its last. */
  below(page: number, id: bigint): number;
  /** Gives back what it takes of the thread's own memory. */
  close(): void;
};

/** What one thread reads IDs through: memory that it shares with others, and for what finds no room there a little of its own. */
export type IdMemory = { open(source: IdSource): Ids };

/** 2 MiB a thread. */
const defaultOwnPages = 512;

/**
 * Memory for the IDs of sealed segments, 8 bytes a post, at most `maxBytes`; threads are started with it. Errors:
 * `invalid_setting` where there is not that much.
 */
export const createIdMemory = (maxBytes: number): SharedIdMemory => createSharedPages(maxBytes);

/** The calling thread's use of the memory. */
export function useIdMemory(shared: SharedIdMemory, ownPages = defaultOwnPages): IdMemory {
  const pages = shared.slots === 0 ? null : useSharedPages(shared);
  const recent = createRecentPages(ownPages);
  let opened = 0;
  return {
    open(source) {
      opened += 1;
      return openIds(source, pages, recent, opened * pagesOfSegment);
    },
  };
}

/** More than a segment has. */
const pagesOfSegment = 2 ** 24;

/** `firstKey` is that of its first page in `recent`. */
function openIds(
  source: IdSource,
  shared: SharedPages | null,
  recent: RecentPages,
  firstKey: number,
): Ids {
  const { posts, heads } = source;
  const segment = identityOf(source);
  /** In which slot of the shared memory each page was last, or -1, and the stamp that goes with it. */
  const slots = new Int32Array(heads.length).fill(-1);
  const stamps = new Int32Array(heads.length);

  function at(number: number): bigint {
    const page = Math.trunc(number / idsOfPage);
    const index = number - page * idsOfPage;
    for (let tries = 0; tries < 2 && shared !== null && isPlaced(page, shared); tries++) {
      const slot = slots[page] as number;
      const id = Atomics.load(shared.ids, slot * idsOfPage + index);
      if (shared.isUnchanged(slot, stamps[page] as number)) return id;
      slots[page] = -1;
    }
    return pageOf(page)[index] as bigint;
  }

  function below(page: number, id: bigint): number {
    const first = page * idsOfPage;
    const length = Math.min(idsOfPage, posts - first);
    for (let tries = 0; tries < 2 && shared !== null && isPlaced(page, shared); tries++) {
      const slot = slots[page] as number;
      const from = slot * idsOfPage;
      const found = firstBelow(shared.ids, from, from + length, id);
      if (
        liesBetween(shared.ids, from, from + length, found, id) &&
        shared.isUnchanged(slot, stamps[page] as number)
      ) {
        return first + found - from;
      }
      slots[page] = -1;
    }
    return first + firstBelow(pageOf(page), 0, length, id);
  }

  /** Whether it is known in which slot the page is, or was a moment ago. */
  function isPlaced(page: number, pages: SharedPages): boolean {
    if ((slots[page] as number) >= 0) return true;
    if (recent.has(firstKey + page)) return false;
    return note(page, pages.find({ segment, page }));
  }

  function note(page: number, place: PagePosition | null): boolean {
    if (place === null) return false;
    slots[page] = place.slot;
    stamps[page] = place.stamp;
    return true;
  }

  function pageOf(page: number): BigInt64Array {
    const known = recent.find(firstKey + page);
    if (known !== undefined) return known;
    const read = source.read(page);
    if (!note(page, shared === null ? null : shared.put({ segment, page }, read))) {
      recent.remember(firstKey + page, read);
    }
    return read;
  }

  function close(): void {
    for (const page of heads.keys()) recent.forget(firstKey + page);
  }

  return { at, below, close };
}

/** The first index from `from` to below `to` with an ID below `id`, or `to`. The IDs descend. */
export function firstBelow(ids: BigInt64Array, from: number, to: number, id: bigint): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as bigint) >= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Proves what was found in memory that may have been written to meanwhile: the IDs on both sides of it, read in order. */
function liesBetween(
  ids: BigInt64Array,
  from: number,
  to: number,
  found: number,
  id: bigint,
): boolean {
  if (found > from && Atomics.load(ids, found - 1) < id) return false;
  return found === to || Atomics.load(ids, found) < id;
}

/** 128 bits that no other segment has: made of its name and the first ID of each page. */
function identityOf({ name, posts, heads }: IdSource): Int32Array {
  const hash = createHash("sha256").update(`${name}\0${posts}\0`).update(heads).digest();
  return new Int32Array(Uint8Array.from(hash).buffer, 0, numbersOfSegment);
}
