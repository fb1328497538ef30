import { createLocalStore } from "../../src/db/local-store.ts";
import type { SqliteDatabase } from "../../src/db/open.ts";
import type { Operations, Store } from "../../src/db/operations.ts";

/** A store that can be killed before or after the commit of pending writes. */
export type MortalStore<Table> = {
  store: Store<Table>;
  /** Commits pending writes without reporting them. */
  mute(): void;
  /** Stops commits and reports. */
  kill(): void;
};

export function createMortalStore<Table extends Operations>(
  database: SqliteDatabase,
  operations: Table,
): MortalStore<Table> {
  const inner = createLocalStore(database, operations);
  let isHeard = true;
  let isAlive = true;

  /** Never settles once muted. */
  function reported<Value>(call: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      queueMicrotask(() => {
        if (!isAlive) return;
        call().then(
          (value) => isHeard && resolve(value),
          (error) => isHeard && reject(error),
        );
      });
    });
  }

  return {
    store: {
      read: (name, args) => reported(() => inner.read(name, args)),
      write: (name, args) => reported(() => inner.write(name, args)),
      inMemory: inner.inMemory,
    },
    mute: () => {
      isHeard = false;
    },
    kill: () => {
      isHeard = false;
      isAlive = false;
    },
  };
}
