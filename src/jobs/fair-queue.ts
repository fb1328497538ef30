/**
 * What waits, in one line a key. Keys take turns, whoever has many jobs waiting; within a key the oldest comes first. A key
 * that holds `maxHeldPerKey` of what was taken is passed over until it releases one.
 */
export type FairQueue<Item> = {
  add(item: Item): void;
  /** Takes the next item that is accepted; null when there is none. Its key holds one more. */
  take(accepts: (item: Item) => boolean): Item | null;
  /** Takes out an item that waits, without a turn. */
  remove(item: Item): void;
  /** The key holds one less. */
  release(keyId: string): void;
};

type Line<Item> = { keyId: string; items: Item[]; held: number; inTurn: boolean };

export function createFairQueue<Item extends { keyId: string }>(
  maxHeldPerKey: number,
): FairQueue<Item> {
  const lines = new Map<string, Line<Item>>();
  // The lines that have an item and may take one, in the order of their turns.
  const turns: Line<Item>[] = [];

  function lineOf(keyId: string): Line<Item> {
    let line = lines.get(keyId);
    if (line === undefined) {
      line = { keyId, items: [], held: 0, inTurn: false };
      lines.set(keyId, line);
    }
    return line;
  }

  function giveTurn(line: Line<Item>): void {
    if (line.inTurn || line.items.length === 0 || line.held >= maxHeldPerKey) return;
    line.inTurn = true;
    turns.push(line);
  }

  function forgetIfIdle(line: Line<Item>): void {
    if (line.items.length === 0 && line.held === 0 && !line.inTurn) lines.delete(line.keyId);
  }

  function add(item: Item): void {
    const line = lineOf(item.keyId);
    line.items.push(item);
    giveTurn(line);
  }

  function take(accepts: (item: Item) => boolean): Item | null {
    for (let tries = turns.length; tries > 0; tries -= 1) {
      const line = turns.shift();
      if (line === undefined) return null;
      line.inTurn = false;
      const [item] = line.items.splice(indexOrEnd(line.items, accepts), 1);
      if (item !== undefined) line.held += 1;
      giveTurn(line);
      forgetIfIdle(line);
      if (item !== undefined) return item;
    }
    return null;
  }

  function remove(item: Item): void {
    const line = lines.get(item.keyId);
    const index = line?.items.indexOf(item) ?? -1;
    if (line === undefined || index < 0) return;
    line.items.splice(index, 1);
    forgetIfIdle(line);
  }

  function release(keyId: string): void {
    const line = lines.get(keyId);
    if (line === undefined) return;
    line.held -= 1;
    giveTurn(line);
    forgetIfIdle(line);
  }

  return { add, take, remove, release };
}

function indexOrEnd<Item>(items: readonly Item[], accepts: (item: Item) => boolean): number {
  const index = items.findIndex(accepts);
  return index < 0 ? items.length : index;
}
