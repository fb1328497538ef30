import type { Store } from "../../src/db/operations.ts";

/** Can be killed before or after the commit of pending writes. */
export type KillableStore<Table> = {
  store: Store<Table>;
  pending(): number;
  /** Commits pending writes without reporting them. */
  mute(): void;
  kill(): void;
};

export function createKillableStore<Table>(inner: Store<Table>): KillableStore<Table> {
  let pending = 0;
  let isConnected = true;
  let isAlive = true;

  /** Never settles after the store is muted. */
  function whileAlive<Value>(call: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      queueMicrotask(() => {
        if (!isAlive) return;
        pending += 1;
        const answered = call();
        answered.then(
          (value) => isConnected && resolve(value),
          (error) => isConnected && reject(error),
        );
        const end = () => {
          pending -= 1;
        };
        answered.then(end, end);
      });
    });
  }

  return {
    store: {
      read: (name, args) => whileAlive(() => inner.read(name, args)),
      write: (name, args) => whileAlive(() => inner.write(name, args)),
      inMemory: inner.inMemory,
    },
    pending: () => pending,
    mute: () => {
      isConnected = false;
    },
    kill: () => {
      isConnected = false;
      isAlive = false;
    },
  };
}
