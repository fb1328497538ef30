import { createLine, type Line } from "./line.ts";

/**
 * What waits, in one line a key. Keys take turns, whoever has many jobs waiting; within a key the oldest comes first. A key
 * that holds `maxHeldPerKey` of what was taken is passed over until it releases one.
 *
 * Items of one kind are accepted or not alike, so that it is kinds that are asked about, however many items wait.
 */
export type FairQueue<Item> = {
  add(item: Item): void;
  /** Puts an item that was taken back before the others of its key. */
  putBack(item: Item): void;
  /** Takes the next item of a kind that is accepted; null when there is none. Its key holds one more. */
  take(accepts: (oneOfKind: Item) => boolean): Item | null;
  /** Takes out an item that waits, without a turn. */
  remove(item: Item): void;
  /** The key holds one less. */
  release(keyId: string): void;
  /** Whether nothing waits that might be taken. */
  isIdle(): boolean;
};

/** What waits of a key, by kinds. */
type KeyLine<Item> = { keyId: string; waiting: Map<string, Waiting<Item>>; held: number };

/** Items of one key and one kind, oldest first. `turn` counts up with each turn that is given; null while it has none. */
type Waiting<Item> = { key: KeyLine<Item>; kind: string; items: Line<Item>; turn: number | null };

export function createFairQueue<Item extends { keyId: string; kind: string }>(
  maxHeldPerKey: number,
): FairQueue<Item> {
  const keys = new Map<string, KeyLine<Item>>();
  // Of each kind, what waits of the keys that may take one, in the order of their turns.
  const turns = new Map<string, Line<Waiting<Item>>>();
  const ages = new Map<Item, number>();
  let lastTurn = 0;
  let lastAge = 0;
  let frontAge = 0;

  function waitingOf({ keyId, kind }: Item): Waiting<Item> {
    let key = keys.get(keyId);
    if (key === undefined) {
      key = { keyId, waiting: new Map(), held: 0 };
      keys.set(keyId, key);
    }
    let waiting = key.waiting.get(kind);
    if (waiting === undefined) {
      waiting = { key, kind, items: createLine(), turn: null };
      key.waiting.set(kind, waiting);
    }
    return waiting;
  }

  function add(item: Item): void {
    lastAge += 1;
    ages.set(item, lastAge);
    const waiting = waitingOf(item);
    waiting.items.add(item);
    giveTurn(waiting);
  }

  function putBack(item: Item): void {
    frontAge -= 1;
    ages.set(item, frontAge);
    const waiting = waitingOf(item);
    waiting.items.addFirst(item);
    giveTurn(waiting);
  }

  function giveTurn(waiting: Waiting<Item>): void {
    const { key, kind } = waiting;
    if (waiting.turn !== null || key.held >= maxHeldPerKey) return;
    lastTurn += 1;
    waiting.turn = lastTurn;
    let line = turns.get(kind);
    if (line === undefined) {
      line = createLine();
      turns.set(kind, line);
    }
    line.add(waiting);
  }

  function endTurn(waiting: Waiting<Item>): void {
    if (waiting.turn === null) return;
    waiting.turn = null;
    const line = turns.get(waiting.kind);
    line?.remove(waiting);
    if (line?.isEmpty()) turns.delete(waiting.kind);
  }

  /** The key comes last among all that wait, or has no turn while it holds enough. */
  function renewTurns(key: KeyLine<Item>): void {
    for (const waiting of key.waiting.values()) {
      endTurn(waiting);
      giveTurn(waiting);
    }
  }

  function take(accepts: (oneOfKind: Item) => boolean): Item | null {
    const accepted = new Set<string>();
    let next: Waiting<Item> | null = null;
    for (const [kind, line] of turns) {
      const first = line.first();
      const example = first?.items.first() ?? null;
      if (first === null || example === null || !accepts(example)) continue;
      accepted.add(kind);
      if ((first.turn ?? 0) < (next?.turn ?? Number.POSITIVE_INFINITY)) next = first;
    }
    if (next === null) return null;
    const { key } = next;
    const item = oldest(key, accepted);
    if (item === null) return null;
    takeOut(item);
    key.held += 1;
    renewTurns(key);
    return item;
  }

  function oldest(key: KeyLine<Item>, accepted: ReadonlySet<string>): Item | null {
    let found: Item | null = null;
    for (const { kind, items } of key.waiting.values()) {
      const item = accepted.has(kind) ? items.first() : null;
      if (item !== null && (found === null || ageOf(item) < ageOf(found))) found = item;
    }
    return found;
  }

  const ageOf = (item: Item): number => ages.get(item) ?? 0;

  function takeOut(item: Item): void {
    const key = keys.get(item.keyId);
    const waiting = key?.waiting.get(item.kind);
    if (key === undefined || !waiting?.items.remove(item)) return;
    ages.delete(item);
    if (waiting.items.isEmpty()) {
      endTurn(waiting);
      key.waiting.delete(item.kind);
    }
  }

  function remove(item: Item): void {
    takeOut(item);
    forgetIfIdle(item.keyId);
  }

  function release(keyId: string): void {
    const key = keys.get(keyId);
    if (key === undefined) return;
    key.held -= 1;
    for (const waiting of key.waiting.values()) giveTurn(waiting);
    forgetIfIdle(keyId);
  }

  function forgetIfIdle(keyId: string): void {
    const key = keys.get(keyId);
    if (key !== undefined && key.waiting.size === 0 && key.held === 0) keys.delete(keyId);
  }

  return { add, putBack, take, remove, release, isIdle: () => turns.size === 0 };
}
