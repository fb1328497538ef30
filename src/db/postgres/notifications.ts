import type { Pool } from "./pool.ts";

/** `isFresh`: it has just begun to listen, so that earlier ones may have been missed. */
export type Notifications = { isFresh: boolean; payloads: readonly string[] };

export type Listener = {
  /** To another pool, or the first. It listens again by itself when the connection breaks. */
  listenOn(pool: Pool): void;
  /** Waits until there are some, or until it is closed. */
  next(): Promise<Notifications>;
  close(): void;
};

/** More than these are read from the tables instead. */
const mostWaiting = 10_000;

export function createListener(channel: string): Listener {
  let payloads: string[] = [];
  let isFresh = false;
  let isClosed = false;
  let wake: () => void = () => undefined;

  function note(payload: string): void {
    if (payloads.length < mostWaiting) payloads.push(payload);
    else noteFresh();
    wake();
  }

  function noteFresh(): void {
    payloads = [];
    isFresh = true;
    wake();
  }

  function listenOn(pool: Pool): void {
    // The driver repeats a failed connection; the pool of a closed one ends.
    pool.listen(channel, note, noteFresh).catch(() => {
      if (!isClosed) setImmediate(() => listenOn(pool));
    });
  }

  async function next(): Promise<Notifications> {
    while (!isClosed && !isFresh && payloads.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const found = { isFresh, payloads };
    isFresh = false;
    payloads = [];
    return found;
  }

  return {
    listenOn,
    next,
    close: () => {
      isClosed = true;
      wake();
    },
  };
}
