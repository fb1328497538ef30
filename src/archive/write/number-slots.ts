import { EarshotError } from "../../lib/errors.ts";
import { firstInMillisecond, lastInMillisecond, nextInMillisecond } from "../../posts/ids.ts";

/**
 * Which numbers the posts of one millisecond have (0055). Sorted by `uriHash`, each post has the number that its hash begins
 * with, or the next one after its predecessor's where that is higher: the same numbers for the same posts, in whatever order
 * they arrive. A post that arrives between others may therefore move those after it, up to the next free number. Where a run
 * of taken numbers reaches the end of the millisecond, it grows downwards instead.
 *
 * X posts keep their own numbers, as do posts whose uri cannot be read; others are numbered around them. A deletion moves no
 * post.
 */

/** A post as far as its number is concerned; `uriHash` is null for one that must not be moved. */
type Occupant = { id: bigint; uriHash: string | null };

/** The posts that are stored, of one platform; both ends of ranges are inclusive. */
export type StoredIds = {
  /** The lowest ID within a range; null where it has none. */
  lowest(from: bigint, to: bigint): bigint | null;
  /** The highest ID within a range. */
  highest(from: bigint, to: bigint): bigint | null;
  /** The `uriHash` of the post with an ID; null where the post must not be moved. */
  hashOf(id: bigint): string | null;
  /** Whether the posts of an ID's millisecond are numbered in this order; those of releases before 0055 are not. */
  isOrdered(id: bigint): boolean;
};

/** The numbers as they will be after a batch. Its deletions free none. */
export type NumberSlots = {
  /** Gives a new post its number, and other posts theirs where it displaces them; `key` stands for the post in `idOf`. */
  insert(key: object, id: bigint, uriHash: string): void;
  /** Puts a post under its own number. */
  insertFixed(key: object, id: bigint): void;
  /** The ID of a post that was inserted, once all are. */
  idOf(key: object): bigint;
  /** Stored posts that get another number, in an order in which each finds its number free. */
  moves(): { from: bigint; to: bigint }[];
};

/** Who has an ID: a post of the batch, or the ID of a stored one. */
type Planned = Occupant & { key: object | bigint };

export function numberSlots(stored: StoredIds): NumberSlots {
  /** Posts of the batch and stored ones that were moved, sorted by ID, of each millisecond that has any. */
  const planned = new Map<bigint, Planned[]>();
  /** Stored IDs whose posts were moved. */
  const left = new Set<bigint>();
  const hashes = new Map<bigint, string | null>();
  const ids = new Map<object | bigint, bigint>();

  const hashOfStored = (id: bigint): string | null => {
    const known = hashes.get(id);
    if (known !== undefined) return known;
    const hash = stored.hashOf(id);
    hashes.set(id, hash);
    return hash;
  };

  const inMillisecond = (id: bigint): Planned[] => planned.get(firstInMillisecond(id)) ?? [];

  /** The post with the lowest ID from `id` on in its millisecond. */
  function next(id: bigint): Occupant | null {
    const own = inMillisecond(id);
    const first = own[indexFrom(own, id)] ?? null;
    const to = first?.id ?? lastInMillisecond(id);
    let from = id;
    for (;;) {
      const found = from > to ? null : stored.lowest(from, to);
      if (found === null) return first;
      if (!left.has(found)) return first?.id === found ? first : storedPost(found);
      from = found + 1n;
    }
  }

  /** The post with the highest ID below `id` in the millisecond that begins with `low`. */
  function previous(id: bigint, low: bigint): Occupant | null {
    const own = inMillisecond(low);
    const first = own[indexFrom(own, id) - 1] ?? null;
    const from = first?.id ?? low;
    let to = id - 1n;
    for (;;) {
      const found = to < from ? null : stored.highest(from, to);
      if (found === null) return first;
      if (!left.has(found)) return first?.id === found ? first : storedPost(found);
      to = found - 1n;
    }
  }

  const storedPost = (id: bigint): Occupant => ({ id, uriHash: hashOfStored(id) });

  function at(id: bigint): Occupant | null {
    const found = next(id);
    return found?.id === id ? found : null;
  }

  function put(post: Planned): void {
    const low = firstInMillisecond(post.id);
    const own = planned.get(low) ?? [];
    own.splice(indexFrom(own, post.id), 0, post);
    planned.set(low, own);
    ids.set(post.key, post.id);
  }

  function move(from: bigint, to: bigint): void {
    const own = inMillisecond(from);
    const index = indexFrom(own, from);
    const found = own[index];
    if (found?.id === from) {
      own.splice(index, 1);
      put({ ...found, id: to });
    } else {
      left.add(from);
      put({ id: to, uriHash: hashOfStored(from), key: from });
    }
  }

  /** Moves the post at an ID, and those in its way, to the next free number above or below; false where there is none. */
  function vacate(id: bigint, step: 1n | -1n): boolean {
    const low = firstInMillisecond(id);
    const high = lastInMillisecond(id);
    const chain: bigint[] = [];
    for (let place = id; place >= low && place <= high; place += step) {
      const post = at(place);
      if (post?.uriHash === null) continue;
      if (post !== null) {
        chain.push(place);
        continue;
      }
      let to = place;
      for (const from of chain.reverse()) {
        move(from, to);
        to = from;
      }
      return true;
    }
    return false;
  }

  /** Where a post belongs by its hash: behind the last post with a lower hash. May be one above the millisecond. */
  function placeOf(wanted: bigint, hash: string): bigint {
    const low = firstInMillisecond(wanted);
    let place = wanted;
    for (let post = next(place); post !== null; ) {
      if (post.uriHash !== null && post.uriHash > hash) break;
      if (post.uriHash !== null || post.id === place) place = post.id + 1n;
      post = post.id === lastInMillisecond(low) ? null : next(post.id + 1n);
    }
    // Only a run that grew downwards has posts below their number.
    if (at(lastInMillisecond(low)) === null) return place;
    for (let post = previous(place, low); post !== null; post = previous(post.id, low)) {
      if (post.uriHash === null) continue;
      if (post.uriHash < hash) break;
      place = post.id;
    }
    return place;
  }

  /** The first free ID from one on, around the end of its millisecond. */
  function firstFree(wanted: bigint): bigint {
    let id = wanted;
    while (at(id) !== null) {
      id = nextInMillisecond(id);
      if (id === wanted) throw millisecondFull();
    }
    return id;
  }

  /** A free ID for a new post, after other posts made room for it. */
  function makeRoom(wanted: bigint, hash: string): bigint {
    if (!stored.isOrdered(wanted)) return firstFree(wanted);
    const place = placeOf(wanted, hash);
    if (place <= lastInMillisecond(wanted) && vacate(place, 1n)) return place;
    for (let below = place - 1n; below >= firstInMillisecond(wanted); below -= 1n) {
      if (at(below)?.uriHash === null) continue;
      if (vacate(below, -1n)) return below;
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
    idOf: (key) => {
      const id = ids.get(key);
      if (id === undefined) throw new Error("the post was not inserted");
      return id;
    },
    moves: () =>
      inOrder(
        [...ids].flatMap(([key, to]) =>
          typeof key === "bigint" && key !== to ? [{ from: key, to }] : [],
        ),
      ),
  };
}

/** The posts keep their order, so that those that go up are moved from the highest on, those that go down from the lowest. */
function inOrder(moves: readonly { from: bigint; to: bigint }[]): { from: bigint; to: bigint }[] {
  const byFrom = moves.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return [
    ...byFrom.filter(({ from, to }) => to > from).reverse(),
    ...byFrom.filter(({ from, to }) => to < from),
  ];
}

/** The index of the first post with this ID or a higher one. */
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
  new EarshotError("millisecond_full", "a millisecond has as many posts as it has numbers", {
    hint: "posts from before November 2010 without a number of their own share one",
  });
