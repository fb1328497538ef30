import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";

type Writes = { write(name: never, args: never): Promise<unknown> };

export type StoreWatch<S> = {
  store: S;
  isFull(): boolean;
};

export type StoreWatchContext = {
  clock: Pick<Clock, "elapsed">;
  log: Pick<Logger, "info" | "error">;
  onWrite(seconds: number): void;
};

/** Small writes may succeed while larger ones fail, so the disk counts as full this long. */
const fullForMs = 5_000;

/** The heartbeat writes every second, so a full disk and its end are noticed without requests. */
export function watchStore<S extends Writes>(store: S, context: StoreWatchContext): StoreWatch<S> {
  const { clock, log, onWrite } = context;
  let refusedAtMs: number | null = null;

  const isFull = (): boolean => refusedAtMs !== null && clock.elapsed() - refusedAtMs < fullForMs;

  function recordError(error: unknown): void {
    if (!isStorageFull(error)) return;
    if (refusedAtMs === null) log.error("the disk is full: writes fail, reads continue");
    refusedAtMs = clock.elapsed();
  }

  function recordWrite(): void {
    if (refusedAtMs === null || isFull()) return;
    refusedAtMs = null;
    log.info("the disk has free space again");
  }

  async function write(name: never, args: never): Promise<unknown> {
    const startedMs = clock.elapsed();
    try {
      const value = await store.write(name, args);
      recordWrite();
      return value;
    } catch (error) {
      recordError(error);
      throw error;
    } finally {
      onWrite((clock.elapsed() - startedMs) / 1000);
    }
  }

  return { store: { ...store, write }, isFull };
}

export const isStorageFull = (error: unknown): boolean =>
  error instanceof EarshotError && error.code === "storage_full";
