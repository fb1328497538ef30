import { createHash } from "node:crypto";
import { idsPerPage } from "./format.ts";
import {
  createSharedPages,
  identityWords,
  type PagePosition,
  type SharedIdCache,
  type SharedPages,
  useSharedPages,
} from "./shared-pages.ts";

export type IdSource = {
  name: string;
  posts: number;
  firstIds: BigInt64Array;
  read(page: number): BigInt64Array;
};

/** The IDs are newest first. */
export type Ids = {
  at(number: number): bigint;
  /** The page's first doc number with an ID below `id`, or its end if there is none. */
  firstNumberBelow(page: number, id: bigint): number;
  close(): void;
};

/** A cache shared by all threads, and a small private one for pages without a shared slot. */
export type IdCache = { open(source: IdSource): Ids };

const defaultPrivatePages = 512;

/** 8 bytes per post. Errors: `invalid_setting` if allocation fails. */
export const createIdCache = (maxBytes: number): SharedIdCache => createSharedPages(maxBytes);

export function useIdCache(
  sharedCache: SharedIdCache,
  privatePages = defaultPrivatePages,
): IdCache {
  const pages = sharedCache.slots === 0 ? null : useSharedPages(sharedCache);
  const recentPages = createRecentPages(privatePages);
  let openedSegments = 0;
  return {
    open(source) {
      openedSegments += 1;
      return openIds(source, pages, recentPages, openedSegments * keysPerSegment);
    },
  };
}

const keysPerSegment = 2 ** 24;

function openIds(
  source: IdSource,
  sharedPages: SharedPages | null,
  recentPages: RecentPages,
  firstKey: number,
): Ids {
  const { posts, firstIds } = source;
  const segment = makeIdentity(source);
  const slots = new Int32Array(firstIds.length).fill(-1);
  const stamps = new Int32Array(firstIds.length);

  function at(number: number): bigint {
    const page = Math.trunc(number / idsPerPage);
    const index = number - page * idsPerPage;
    for (let tries = 0; tries < 2 && sharedPages !== null && hasSlot(page, sharedPages); tries++) {
      const slot = slots[page] as number;
      const id = Atomics.load(sharedPages.ids, slot * idsPerPage + index);
      if (sharedPages.isUnchanged(slot, stamps[page] as number)) return id;
      slots[page] = -1;
    }
    return findPage(page)[index] as bigint;
  }

  function firstNumberBelow(page: number, id: bigint): number {
    const first = page * idsPerPage;
    const length = Math.min(idsPerPage, posts - first);
    for (let tries = 0; tries < 2 && sharedPages !== null && hasSlot(page, sharedPages); tries++) {
      const slot = slots[page] as number;
      const from = slot * idsPerPage;
      const index = indexBelow(sharedPages.ids, from, from + length, id);
      if (
        isIndexBelow(sharedPages.ids, from, from + length, index, id) &&
        sharedPages.isUnchanged(slot, stamps[page] as number)
      ) {
        return first + index - from;
      }
      slots[page] = -1;
    }
    return first + indexBelow(findPage(page), 0, length, id);
  }

  function hasSlot(page: number, pages: SharedPages): boolean {
    if ((slots[page] as number) >= 0) return true;
    if (recentPages.has(firstKey + page)) return false;
    return useSlot(page, pages.find({ segment, page }));
  }

  function useSlot(page: number, position: PagePosition | null): boolean {
    if (position === null) return false;
    slots[page] = position.slot;
    stamps[page] = position.stamp;
    return true;
  }

  function findPage(page: number): BigInt64Array {
    const recentIds = recentPages.find(firstKey + page);
    if (recentIds !== undefined) return recentIds;
    const ids = source.read(page);
    if (!useSlot(page, sharedPages === null ? null : sharedPages.put({ segment, page }, ids))) {
      recentPages.put(firstKey + page, ids);
    }
    return ids;
  }

  function close(): void {
    for (const page of firstIds.keys()) recentPages.delete(firstKey + page);
  }

  return { at, firstNumberBelow, close };
}

export function indexBelow(ids: BigInt64Array, from: number, to: number, id: bigint): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as bigint) >= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isIndexBelow(
  ids: BigInt64Array,
  from: number,
  to: number,
  index: number,
  id: bigint,
): boolean {
  if (index > from && Atomics.load(ids, index - 1) < id) return false;
  return index === to || Atomics.load(ids, index) < id;
}

function makeIdentity({ name, posts, firstIds }: IdSource): Int32Array {
  const hash = createHash("sha256").update(`${name}\0${posts}\0`).update(firstIds).digest();
  return new Int32Array(Uint8Array.from(hash).buffer, 0, identityWords);
}

type RecentPages = {
  has(key: number): boolean;
  find(key: number): BigInt64Array | undefined;
  put(key: number, page: BigInt64Array): void;
  delete(key: number): void;
};

function createRecentPages(maxPages: number): RecentPages {
  const pages = new Map<number, BigInt64Array>();

  function find(key: number): BigInt64Array | undefined {
    const page = pages.get(key);
    if (page === undefined) return undefined;
    pages.delete(key);
    pages.set(key, page);
    return page;
  }

  function put(key: number, page: BigInt64Array): void {
    pages.set(key, page);
    if (pages.size <= maxPages) return;
    const [oldest] = pages.keys();
    if (oldest !== undefined) pages.delete(oldest);
  }

  return { has: (key) => pages.has(key), find, put, delete: (key) => pages.delete(key) };
}
