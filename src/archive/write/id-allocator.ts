import { EarshotError } from "../../lib/errors.ts";
import { firstInMillisecond, lastInMillisecond, nextInMillisecond } from "../../posts/ids.ts";

/**
 * Numbers the posts in one millisecond (ADR 0055). In `uriHash` order, each has the number that its
 * hash begins with, or its predecessor's plus one if higher, so ingest order does not matter. An
 * insert may move later posts up to the next free number. A run of taken numbers that reaches the
 * end of the millisecond grows downwards. X posts and posts with unreadable uris keep their
 * numbers. Deletions do not move posts.
 */

/** `uriHash`: null for a post that must not move. */
type Occupant = { id: bigint; uriHash: string | null };

/** The IDs of one platform. Ranges are inclusive; results for empty ranges are null. */
export type StoredIds = {
  lowest(from: bigint, to: bigint): bigint | null;
  highest(from: bigint, to: bigint): bigint | null;
  /** Null if the post must not move. */
  findUriHash(id: bigint): string | null;
  /** False for milliseconds with an earlier numbering. */
  isOrdered(id: bigint): boolean;
};

/** A batch's deletions do not free numbers. */
export type IdAllocator = {
  /** Moves displaced posts. `key` is for `assignedId`. */
  insert(key: object, id: bigint, uriHash: string): void;
  insertFixed(key: object, id: bigint): void;
  assignedId(key: object): bigint;
  /** Moves of stored posts, ordered so that each target is free. */
  moves(): { from: bigint; to: bigint }[];
};

type PlannedPost = Occupant & { key: object | bigint };

export function createIdAllocator(stored: StoredIds): IdAllocator {
  const plannedPosts = new Map<bigint, PlannedPost[]>();
  const movedIds = new Set<bigint>();
  const cachedHashes = new Map<bigint, string | null>();
  const ids = new Map<object | bigint, bigint>();

  const storedHash = (id: bigint): string | null => {
    const cached = cachedHashes.get(id);
    if (cached !== undefined) return cached;
    const hash = stored.findUriHash(id);
    cachedHashes.set(id, hash);
    return hash;
  };

  const plannedIn = (id: bigint): PlannedPost[] => plannedPosts.get(firstInMillisecond(id)) ?? [];

  function nextOccupant(id: bigint): Occupant | null {
    const occupants = plannedIn(id);
    const first = occupants[indexFrom(occupants, id)] ?? null;
    const to = first?.id ?? lastInMillisecond(id);
    let from = id;
    for (;;) {
      const found = from > to ? null : stored.lowest(from, to);
      if (found === null) return first;
      if (!movedIds.has(found)) return first?.id === found ? first : storedPost(found);
      from = found + 1n;
    }
  }

  function previousOccupant(id: bigint, low: bigint): Occupant | null {
    const occupants = plannedIn(low);
    const first = occupants[indexFrom(occupants, id) - 1] ?? null;
    const from = first?.id ?? low;
    let to = id - 1n;
    for (;;) {
      const found = to < from ? null : stored.highest(from, to);
      if (found === null) return first;
      if (!movedIds.has(found)) return first?.id === found ? first : storedPost(found);
      to = found - 1n;
    }
  }

  const storedPost = (id: bigint): Occupant => ({ id, uriHash: storedHash(id) });

  function occupantAt(id: bigint): Occupant | null {
    const found = nextOccupant(id);
    return found?.id === id ? found : null;
  }

  function put(post: PlannedPost): void {
    const low = firstInMillisecond(post.id);
    const posts = plannedPosts.get(low) ?? [];
    posts.splice(indexFrom(posts, post.id), 0, post);
    plannedPosts.set(low, posts);
    ids.set(post.key, post.id);
  }

  function move(from: bigint, to: bigint): void {
    const occupants = plannedIn(from);
    const index = indexFrom(occupants, from);
    const found = occupants[index];
    if (found?.id === from) {
      occupants.splice(index, 1);
      put({ ...found, id: to });
    } else {
      movedIds.add(from);
      put({ id: to, uriHash: storedHash(from), key: from });
    }
  }

  function vacate(id: bigint, step: 1n | -1n): boolean {
    const low = firstInMillisecond(id);
    const high = lastInMillisecond(id);
    const chain: bigint[] = [];
    for (let position = id; position >= low && position <= high; position += step) {
      const post = occupantAt(position);
      if (post?.uriHash === null) continue;
      if (post !== null) {
        chain.push(position);
        continue;
      }
      let to = position;
      for (const from of chain.reverse()) {
        move(from, to);
        to = from;
      }
      return true;
    }
    return false;
  }

  function computePosition(expected: bigint, hash: string): bigint {
    const low = firstInMillisecond(expected);
    let position = expected;
    for (let post = nextOccupant(position); post !== null; ) {
      if (post.uriHash !== null && post.uriHash > hash) break;
      if (post.uriHash !== null || post.id === position) position = post.id + 1n;
      post = post.id === lastInMillisecond(low) ? null : nextOccupant(post.id + 1n);
    }
    // Only posts in a run that grew downwards have lower numbers than those in their hashes.
    if (occupantAt(lastInMillisecond(low)) === null) return position;
    for (
      let post = previousOccupant(position, low);
      post !== null;
      post = previousOccupant(post.id, low)
    ) {
      if (post.uriHash === null) continue;
      if (post.uriHash < hash) break;
      position = post.id;
    }
    return position;
  }

  /** Wraps around within the millisecond. */
  function firstFree(expected: bigint): bigint {
    let id = expected;
    while (occupantAt(id) !== null) {
      id = nextInMillisecond(id);
      if (id === expected) throw millisecondFull();
    }
    return id;
  }

  function makeRoom(expected: bigint, hash: string): bigint {
    if (!stored.isOrdered(expected)) return firstFree(expected);
    const position = computePosition(expected, hash);
    if (position <= lastInMillisecond(expected) && vacate(position, 1n)) return position;
    for (let lowerId = position - 1n; lowerId >= firstInMillisecond(expected); lowerId -= 1n) {
      if (occupantAt(lowerId)?.uriHash === null) continue;
      if (vacate(lowerId, -1n)) return lowerId;
      break;
    }
    throw millisecondFull();
  }

  return {
    insert: (key, id, hash) => put({ id: makeRoom(id, hash), uriHash: hash, key }),
    insertFixed: (key, id) => {
      if (!vacate(id, 1n) && !vacate(id, -1n)) throw millisecondFull();
      put({ id, uriHash: null, key });
    },
    assignedId: (key) => {
      const id = ids.get(key);
      if (id === undefined) throw new Error("the post was not inserted");
      return id;
    },
    moves: () =>
      orderedMoves(
        [...ids].flatMap(([key, to]) =>
          typeof key === "bigint" && key !== to ? [{ from: key, to }] : [],
        ),
      ),
  };
}

/** Upward moves first, from the highest ID; then downward moves, from the lowest. */
function orderedMoves(
  moves: readonly { from: bigint; to: bigint }[],
): { from: bigint; to: bigint }[] {
  const byFrom = moves.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return [
    ...byFrom.filter(({ from, to }) => to > from).reverse(),
    ...byFrom.filter(({ from, to }) => to < from),
  ];
}

function indexFrom(posts: readonly Occupant[], id: bigint): number {
  let [low, high] = [0, posts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((posts[middle]?.id ?? 0n) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

const millisecondFull = (): EarshotError =>
  new EarshotError("millisecond_full", "all numbers of a millisecond are in use", {
    hint: "posts from before November 2010 without native IDs share one millisecond",
  });
