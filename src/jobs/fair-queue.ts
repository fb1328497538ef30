import { createLine, type Line } from "./line.ts";

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

type KeyLine<Item> = { keyId: string; waiting: Line<Item>; held: number; inTurn: boolean };

export function createFairQueue<Item extends { keyId: string }>(
  maxHeldPerKey: number,
): FairQueue<Item> {
  const lines = new Map<string, KeyLine<Item>>();
  // The lines that have an item and may take one, in the order of their turns.
  const turns: KeyLine<Item>[] = [];

  function lineOf(keyId: string): KeyLine<Item> {
    let line = lines.get(keyId);
    if (line === undefined) {
      line = { keyId, waiting: createLine(), held: 0, inTurn: false };
      lines.set(keyId, line);
    }
    return line;
  }

  function giveTurn(line: KeyLine<Item>): void {
    if (line.inTurn || line.waiting.isEmpty() || line.held >= maxHeldPerKey) return;
    line.inTurn = true;
    turns.push(line);
  }

  function forgetIfIdle(line: KeyLine<Item>): void {
    if (line.waiting.isEmpty() && line.held === 0 && !line.inTurn) lines.delete(line.keyId);
  }

  function add(item: Item): void {
    const line = lineOf(item.keyId);
    line.waiting.add(item);
    giveTurn(line);
  }

  function take(accepts: (item: Item) => boolean): Item | null {
    for (let tries = turns.length; tries > 0; tries -= 1) {
      const line = turns.shift();
      if (line === undefined) return null;
      line.inTurn = false;
      const item = line.waiting.find(accepts);
      if (item !== null) {
        line.waiting.remove(item);
        line.held += 1;
      }
      giveTurn(line);
      forgetIfIdle(line);
      if (item !== null) return item;
    }
    return null;
  }

  function remove(item: Item): void {
    const line = lines.get(item.keyId);
    if (line?.waiting.remove(item)) forgetIfIdle(line);
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
