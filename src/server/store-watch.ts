import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";

/** What is watched of a store: that it writes. */
type Writes = { write(name: never, args: never): Promise<unknown> };

export type StoreWatch<S> = {
  /** The store, each write of which is seen. */
  store: S;
  /** Whether a write has failed lately for want of space. */
  isFull(): boolean;
};

export type StoreWatchContext = {
  clock: Pick<Clock, "elapsed">;
  log: Pick<Logger, "info" | "error">;
  /** Told how long each write took, its commit included. */
  onWrite(seconds: number): void;
};

/** A small write may fit where a larger one does not: so long after the last that did not, there is room. */
const roomAgainMs = 5_000;

/**
 * Sees how long writes of the control store take, and whether its disk is full. A server writes its heartbeat every second, so
 * that both ends of a full disk are noticed, and logged once, without any request.
 */
export function watchStore<S extends Writes>(store: S, context: StoreWatchContext): StoreWatch<S> {
  const { clock, log, onWrite } = context;
  let refusedMs: number | null = null;

  const isFull = (): boolean => refusedMs !== null && clock.elapsed() - refusedMs < roomAgainMs;

  function noteFault(fault: unknown): void {
    if (!isStorageFull(fault)) return;
    if (refusedMs === null) log.error("the disk is full: nothing is written, reads go on");
    refusedMs = clock.elapsed();
  }

  function noteWrite(): void {
    if (refusedMs === null || isFull()) return;
    refusedMs = null;
    log.info("the disk has room again");
  }

  async function write(name: never, args: never): Promise<unknown> {
    const startedMs = clock.elapsed();
    try {
      const value = await store.write(name, args);
      noteWrite();
      return value;
    } catch (fault) {
      noteFault(fault);
      throw fault;
    } finally {
      onWrite((clock.elapsed() - startedMs) / 1000);
    }
  }

  return { store: { ...store, write }, isFull };
}

/** Whether a write has failed for want of space. */
export const isStorageFull = (fault: unknown): boolean =>
  fault instanceof EarshotError && fault.code === "storage_full";
