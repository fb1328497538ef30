import type { Clock } from "../../lib/clock.ts";
import type { Pool } from "./pool.ts";

/**
 * `isReloadNeeded`: the tables must be read, because notifications may be missing after a new
 * connection or an overflow.
 */
export type Notifications = { isReloadNeeded: boolean; payloads: readonly string[] };

export type Listener = {
  listenOn(pool: Pool): void;
  next(): Promise<Notifications>;
  close(): void;
};

const retryMs = 500;

/** Beyond this number, notifications are dropped and the tables are read instead. */
const maxPendingPayloads = 10_000;

export function createListener(channel: string, clock: Pick<Clock, "sleep">): Listener {
  let payloads: string[] = [];
  let isReloadNeeded = false;
  let isClosed = false;
  let currentPool: Pool | null = null;
  let wake: () => void = () => undefined;

  function receive(payload: string): void {
    if (payloads.length === maxPendingPayloads) {
      requestReload();
      return;
    }
    payloads.push(payload);
    wake();
  }

  function requestReload(): void {
    payloads = [];
    isReloadNeeded = true;
    wake();
  }

  function listenOn(pool: Pool): void {
    currentPool = pool;
    // After the first success, the driver itself reconnects.
    pool.listen(channel, receive, requestReload).catch(async () => {
      await clock.sleep(retryMs);
      if (!isClosed && currentPool === pool) listenOn(pool);
    });
  }

  async function next(): Promise<Notifications> {
    while (!isClosed && !isReloadNeeded && payloads.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const notifications = { isReloadNeeded, payloads };
    isReloadNeeded = false;
    payloads = [];
    return notifications;
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
