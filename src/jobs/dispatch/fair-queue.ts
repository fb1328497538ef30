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
  canRun(keyId: string): boolean;
};

type Key<Item> = { turns: Map<string, KeyTurn<Item>>; runningCount: number };
/** `waitingPairs`: the number of pairs of key and kind with waiting items. */
type Group<Item> = {
  turns: Map<string, GroupTurn<Item>>;
  waitingPairs: number;
  runningCount: number;
};

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
  const sequences = new Map<Item, number>();
  let lastTurn = 0;
  let lastSequence = 0;
  let firstSequence = 0;

  function ensureKey({ keyId }: Item): Key<Item> {
    const key = keys.get(keyId) ?? { turns: new Map(), runningCount: 0 };
    keys.set(keyId, key);
    return key;
  }

  function ensureGroup({ groupId }: Item): Group<Item> {
    const group = groups.get(groupId) ?? { turns: new Map(), waitingPairs: 0, runningCount: 0 };
    groups.set(groupId, group);
    return group;
  }

  function ensureKeyTurn(item: Item): KeyTurn<Item> {
    const { kind } = item;
    const key = ensureKey(item);
    const existing = key.turns.get(kind);
    if (existing !== undefined) return existing;
    const group = ensureGroup(item);
    group.waitingPairs += 1;
    const keyTurn: KeyTurn<Item> = { key, group, kind, items: createFifo(), turn: null };
    key.turns.set(kind, keyTurn);
    return keyTurn;
  }

  function add(item: Item): void {
    lastSequence += 1;
    sequences.set(item, lastSequence);
    const keyTurn = ensureKeyTurn(item);
    keyTurn.items.add(item);
    startTurn(keyTurn);
  }

  function requeue(item: Item): void {
    firstSequence -= 1;
    sequences.set(item, firstSequence);
    const keyTurn = ensureKeyTurn(item);
    keyTurn.items.addFirst(item);
    startTurn(keyTurn);
  }

  function startTurn(keyTurn: KeyTurn<Item>): void {
    const { key, group, kind } = keyTurn;
    if (keyTurn.turn !== null || key.runningCount >= maxRunningPerKey) return;
    lastTurn += 1;
    keyTurn.turn = lastTurn;
    const existing = group.turns.get(kind);
    if (existing !== undefined) {
      existing.keys.add(keyTurn);
      return;
    }
    const queue = ensureQueue(group, kind);
    const groupTurn: GroupTurn<Item> = { group, keys: createFifo(), turn: lastTurn, queue };
    groupTurn.keys.add(keyTurn);
    group.turns.set(kind, groupTurn);
    queue.add(groupTurn);
  }

  function ensureQueue({ runningCount }: Group<Item>, kind: string): Fifo<GroupTurn<Item>> {
    const queues = kinds.get(kind) ?? { idle: createFifo(), busy: createFifo() };
    kinds.set(kind, queues);
    return runningCount === 0 ? queues.idle : queues.busy;
  }

  function endTurn(keyTurn: KeyTurn<Item>): void {
    if (keyTurn.turn === null) return;
    keyTurn.turn = null;
    const { group, kind } = keyTurn;
    const groupTurn = group.turns.get(kind);
    groupTurn?.keys.remove(keyTurn);
    if (groupTurn === undefined || !groupTurn.keys.isEmpty()) return;
    groupTurn.queue.remove(groupTurn);
    group.turns.delete(kind);
    const queues = kinds.get(kind);
    if (queues?.idle.isEmpty() && queues.busy.isEmpty()) kinds.delete(kind);
  }

  function moveToEnd(group: Group<Item>): void {
    for (const [kind, groupTurn] of group.turns) {
      groupTurn.queue.remove(groupTurn);
      lastTurn += 1;
      groupTurn.turn = lastTurn;
      groupTurn.queue = ensureQueue(group, kind);
      groupTurn.queue.add(groupTurn);
    }
  }

  function take(accepts: (exampleOfKind: Item) => boolean, idleOnly = false): Item | null {
    const acceptedKinds = new Set<string>();
    let next: GroupTurn<Item> | null = null;
    for (const [kind, { idle, busy }] of kinds) {
      const first = idle.first() ?? (idleOnly ? null : busy.first());
      const example = first?.keys.first()?.items.first() ?? null;
      if (first === null || example === null || !accepts(example)) continue;
      acceptedKinds.add(kind);
      if (next === null || isBefore(first, next)) next = first;
    }
    if (next === null) return null;
    const item = nextItem(next.group, acceptedKinds);
    if (item === null) return null;
    occupy(item);
    return item;
  }

  function occupy(item: Item): void {
    const [key, group] = [ensureKey(item), ensureGroup(item)];
    unqueue(item);
    key.runningCount += 1;
    group.runningCount += 1;
    for (const keyTurn of key.turns.values()) {
      endTurn(keyTurn);
      startTurn(keyTurn);
    }
    moveToEnd(group);
  }

  function nextItem(group: Group<Item>, acceptedKinds: ReadonlySet<string>): Item | null {
    let next: KeyTurn<Item> | null = null;
    for (const [kind, { keys: keyTurns }] of group.turns) {
      const first = acceptedKinds.has(kind) ? keyTurns.first() : null;
      if (first !== null && turnNumber(first) < turnNumber(next)) next = first;
    }
    let oldest: Item | null = null;
    for (const keyTurn of next?.key.turns.values() ?? []) {
      if (keyTurn.group !== group || !acceptedKinds.has(keyTurn.kind)) continue;
      const item = keyTurn.items.first();
      if (item !== null && (oldest === null || itemSequence(item) < itemSequence(oldest)))
        oldest = item;
    }
    return oldest;
  }

  const itemSequence = (item: Item): number => sequences.get(item) ?? 0;

  function unqueue(item: Item): void {
    const key = keys.get(item.keyId);
    const keyTurn = key?.turns.get(item.kind);
    if (key === undefined || !keyTurn?.items.remove(item)) return;
    sequences.delete(item);
    if (keyTurn.items.isEmpty()) {
      endTurn(keyTurn);
      key.turns.delete(item.kind);
      keyTurn.group.waitingPairs -= 1;
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
    key.runningCount -= 1;
    group.runningCount -= 1;
    for (const keyTurn of key.turns.values()) startTurn(keyTurn);
    if (group.runningCount === 0) moveToEnd(group);
    forgetIfIdle(item);
  }

  function forgetIfIdle({ keyId, groupId }: Item): void {
    const key = keys.get(keyId);
    if (key !== undefined && key.turns.size === 0 && key.runningCount === 0) keys.delete(keyId);
    const group = groups.get(groupId);
    if (group?.waitingPairs === 0 && group.runningCount === 0) groups.delete(groupId);
  }

  return {
    add,
    requeue,
    take,
    remove,
    occupy,
    release,
    isIdle: () => kinds.size === 0,
    canRun: (keyId) => (keys.get(keyId)?.runningCount ?? 0) < maxRunningPerKey,
  };
}

function isBefore<Item>(a: GroupTurn<Item>, b: GroupTurn<Item>): boolean {
  const isIdle = a.group.runningCount === 0;
  if (isIdle !== (b.group.runningCount === 0)) return isIdle;
  return a.turn < b.turn;
}

const turnNumber = (keyTurn: { turn: number | null } | null): number =>
  keyTurn?.turn ?? Number.POSITIVE_INFINITY;
