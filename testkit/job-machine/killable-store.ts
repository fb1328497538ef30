import type { Store } from "../../src/db/operations.ts";

/** Can be killed before or after the commit of pending writes. */
export type KillableStore<Table> = {
  store: Store<Table>;
  pendingCount(): number;
  /** Commits pending writes without reporting them. */
  mute(): void;
  kill(): void;
};

export function createKillableStore<Table>(inner: Store<Table>): KillableStore<Table> {
  let pendingWrites = 0;
  let isConnected = true;
  let isAlive = true;

  /** Never settles after the store is muted. */
  function whileAlive<Value>(call: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      queueMicrotask(() => {
        if (!isAlive) return;
        pendingWrites += 1;
        const result = call();
        result.then(
          (value) => isConnected && resolve(value),
          (error) => isConnected && reject(error),
        );
        const end = () => {
          pendingWrites -= 1;
        };
        result.then(end, end);
      });
    });
  }

  return {
    store: {
      read: (name, args) => whileAlive(() => inner.read(name, args)),
      write: (name, args) => whileAlive(() => inner.write(name, args)),
      inMemory: inner.inMemory,
    },
    pendingCount: () => pendingWrites,
    mute: () => {
      isConnected = false;
    },
    kill: () => {
      isConnected = false;
      isAlive = false;
    },
  };
}
