import type { Clock } from "../../lib/clock.ts";
import type { Pool } from "./pool.ts";

export type Notifications = { isFresh: boolean; payloads: readonly string[] };

export type Listener = {
  listenOn(pool: Pool): void;
  next(): Promise<Notifications>;
  close(): void;
};

const retryMs = 500;

/** Beyond it, the tables are read instead. */
const maxWaiting = 10_000;

export function createListener(channel: string, clock: Pick<Clock, "sleep">): Listener {
  let payloads: string[] = [];
  let isFresh = false;
  let isClosed = false;
  let current: Pool | null = null;
  let wake: () => void = () => undefined;

  function note(payload: string): void {
    if (payloads.length === maxWaiting) {
      noteFresh();
      return;
    }
    payloads.push(payload);
    wake();
  }

  function noteFresh(): void {
    payloads = [];
    isFresh = true;
    wake();
  }

  function listenOn(pool: Pool): void {
    current = pool;
    // Once it listens, the driver reconnects.
    pool.listen(channel, note, noteFresh).catch(async () => {
      await clock.sleep(retryMs);
      if (!isClosed && current === pool) listenOn(pool);
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
