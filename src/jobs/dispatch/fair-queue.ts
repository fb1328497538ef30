import { createFifo, type Fifo } from "./fifo.ts";

/**
 * Round-robin over groups (an account's searches or fetches), then over a group's keys, then FIFO.
 * Groups with nothing running come first; keys with `maxRunningPerKey` running items are skipped. A
 * node accepts either all items of a kind or none.
 */
export type FairQueue<Item> = {
  add(item: Item): void;
  requeue(item: Item): void;
  /**
   * The returned item counts as running. `idleOnly`: takes only from groups with nothing running.
   */
  take(accepts: (exampleOfKind: Item) => boolean, idleOnly?: boolean): Item | null;
  remove(item: Item): void;
  occupy(item: Item): void;
  release(item: Item): void;
  isIdle(): boolean;
  mayRun(keyId: string): boolean;
};

type Key<Item> = { waiting: Map<string, KeyTurn<Item>>; running: number };
/** `waitingPairs`: the number of pairs of key and kind with waiting items. */
type Group<Item> = { waiting: Map<string, GroupTurn<Item>>; waitingPairs: number; running: number };

type KeyTurn<Item> = {
  key: Key<Item>;
  group: Group<Item>;
  kind: string;
  items: Fifo<Item>;
  turn: number | null;
};

type GroupTurn<Item> = {
  group: Group<Item>;
  keys: Fifo<KeyTurn<Item>>;
  turn: number;
  queue: Fifo<GroupTurn<Item>>;
};

type KindQueues<Item> = { idle: Fifo<GroupTurn<Item>>; busy: Fifo<GroupTurn<Item>> };

export function createFairQueue<Item extends { keyId: string; groupId: string; kind: string }>(
  maxRunningPerKey: number,
): FairQueue<Item> {
  const keys = new Map<string, Key<Item>>();
  const groups = new Map<string, Group<Item>>();
  const kinds = new Map<string, KindQueues<Item>>();
  const ages = new Map<Item, number>();
  let lastTurn = 0;
  let lastAge = 0;
  let frontAge = 0;

  function ensureKey({ keyId }: Item): Key<Item> {
    const key = keys.get(keyId) ?? { waiting: new Map(), running: 0 };
    keys.set(keyId, key);
    return key;
  }

  function ensureGroup({ groupId }: Item): Group<Item> {
    const group = groups.get(groupId) ?? { waiting: new Map(), waitingPairs: 0, running: 0 };
    groups.set(groupId, group);
    return group;
  }

  function ensureKeyTurn(item: Item): KeyTurn<Item> {
    const { kind } = item;
    const key = ensureKey(item);
    const existing = key.waiting.get(kind);
    if (existing !== undefined) return existing;
    const group = ensureGroup(item);
    group.waitingPairs += 1;
    const waiting: KeyTurn<Item> = { key, group, kind, items: createFifo(), turn: null };
    key.waiting.set(kind, waiting);
    return waiting;
  }

  function add(item: Item): void {
    lastAge += 1;
    ages.set(item, lastAge);
    const waiting = ensureKeyTurn(item);
    waiting.items.add(item);
    startTurn(waiting);
  }

  function requeue(item: Item): void {
    frontAge -= 1;
    ages.set(item, frontAge);
    const waiting = ensureKeyTurn(item);
    waiting.items.addFirst(item);
    startTurn(waiting);
  }

  function startTurn(waiting: KeyTurn<Item>): void {
    const { key, group, kind } = waiting;
    if (waiting.turn !== null || key.running >= maxRunningPerKey) return;
    lastTurn += 1;
    waiting.turn = lastTurn;
    const existing = group.waiting.get(kind);
    if (existing !== undefined) {
      existing.keys.add(waiting);
      return;
    }
    const queue = ensureQueue(group, kind);
    const groupTurn: GroupTurn<Item> = { group, keys: createFifo(), turn: lastTurn, queue };
    groupTurn.keys.add(waiting);
    group.waiting.set(kind, groupTurn);
    queue.add(groupTurn);
  }

  function ensureQueue({ running }: Group<Item>, kind: string): Fifo<GroupTurn<Item>> {
    const queues = kinds.get(kind) ?? { idle: createFifo(), busy: createFifo() };
    kinds.set(kind, queues);
    return running === 0 ? queues.idle : queues.busy;
  }

  function endTurn(waiting: KeyTurn<Item>): void {
    if (waiting.turn === null) return;
    waiting.turn = null;
    const { group, kind } = waiting;
    const groupTurn = group.waiting.get(kind);
    groupTurn?.keys.remove(waiting);
    if (groupTurn === undefined || !groupTurn.keys.isEmpty()) return;
    groupTurn.queue.remove(groupTurn);
    group.waiting.delete(kind);
    const queues = kinds.get(kind);
    if (queues?.idle.isEmpty() && queues.busy.isEmpty()) kinds.delete(kind);
  }

  function moveToEnd(group: Group<Item>): void {
    for (const [kind, groupTurn] of group.waiting) {
      groupTurn.queue.remove(groupTurn);
      lastTurn += 1;
      groupTurn.turn = lastTurn;
      groupTurn.queue = ensureQueue(group, kind);
      groupTurn.queue.add(groupTurn);
    }
  }

  function take(accepts: (exampleOfKind: Item) => boolean, idleOnly = false): Item | null {
    const accepted = new Set<string>();
    let next: GroupTurn<Item> | null = null;
    for (const [kind, { idle, busy }] of kinds) {
      const first = idle.first() ?? (idleOnly ? null : busy.first());
      const example = first?.keys.first()?.items.first() ?? null;
      if (first === null || example === null || !accepts(example)) continue;
      accepted.add(kind);
      if (next === null || isBefore(first, next)) next = first;
    }
    if (next === null) return null;
    const item = nextItem(next.group, accepted);
    if (item === null) return null;
    occupy(item);
    return item;
  }

  function occupy(item: Item): void {
    const [key, group] = [ensureKey(item), ensureGroup(item)];
    unqueue(item);
    key.running += 1;
    group.running += 1;
    for (const waiting of key.waiting.values()) {
      endTurn(waiting);
      startTurn(waiting);
    }
    moveToEnd(group);
  }

  function nextItem(group: Group<Item>, accepted: ReadonlySet<string>): Item | null {
    let next: KeyTurn<Item> | null = null;
    for (const [kind, { keys: keyTurns }] of group.waiting) {
      const first = accepted.has(kind) ? keyTurns.first() : null;
      if (first !== null && turnNumber(first) < turnNumber(next)) next = first;
    }
    let oldest: Item | null = null;
    for (const waiting of next?.key.waiting.values() ?? []) {
      if (waiting.group !== group || !accepted.has(waiting.kind)) continue;
      const item = waiting.items.first();
      if (item !== null && (oldest === null || itemAge(item) < itemAge(oldest))) oldest = item;
    }
    return oldest;
  }

  const itemAge = (item: Item): number => ages.get(item) ?? 0;

  function unqueue(item: Item): void {
    const key = keys.get(item.keyId);
    const waiting = key?.waiting.get(item.kind);
    if (key === undefined || !waiting?.items.remove(item)) return;
    ages.delete(item);
    if (waiting.items.isEmpty()) {
      endTurn(waiting);
      key.waiting.delete(item.kind);
      waiting.group.waitingPairs -= 1;
    }
  }

  function remove(item: Item): void {
    unqueue(item);
    forgetIfIdle(item);
  }

  function release(item: Item): void {
    const key = keys.get(item.keyId);
    const group = groups.get(item.groupId);
    if (key === undefined || group === undefined) return;
    key.running -= 1;
    group.running -= 1;
    for (const waiting of key.waiting.values()) startTurn(waiting);
    if (group.running === 0) moveToEnd(group);
    forgetIfIdle(item);
  }

  function forgetIfIdle({ keyId, groupId }: Item): void {
    const key = keys.get(keyId);
    if (key !== undefined && key.waiting.size === 0 && key.running === 0) keys.delete(keyId);
    const group = groups.get(groupId);
    if (group?.waitingPairs === 0 && group.running === 0) groups.delete(groupId);
  }

  return {
    add,
    requeue,
    take,
    remove,
    occupy,
    release,
    isIdle: () => kinds.size === 0,
    mayRun: (keyId) => (keys.get(keyId)?.running ?? 0) < maxRunningPerKey,
  };
}

function isBefore<Item>(a: GroupTurn<Item>, b: GroupTurn<Item>): boolean {
  const isIdle = a.group.running === 0;
  if (isIdle !== (b.group.running === 0)) return isIdle;
  return a.turn < b.turn;
}

const turnNumber = (waiting: { turn: number | null } | null): number =>
  waiting?.turn ?? Number.POSITIVE_INFINITY;
