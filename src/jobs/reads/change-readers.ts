import type { Store } from "../../db/operations.ts";
import type { JobChange } from "../job.ts";
import type { JobOperations } from "../operations.ts";

/**
 * A reader that falls behind or misses a number reads from the store, so that its buffer is
 * bounded.
 */
export type ChangeReaders = {
  report(accountId: string, change: JobChange): void;
  read(
    accountId: string,
    after: number | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JobChange>>;
  readAgain(): void;
  end(accountId: string): void;
  stop(): void;
};

const maxWaiting = 256;

type Reader = {
  waiting: JobChange[];
  isBehind: boolean;
  isOver: boolean;
  firstReported: number | null;
  wake: () => void;
  end: () => void;
};

export function createChangeReaders(store: Store<JobOperations>, now: () => number): ChangeReaders {
  const readers = new Map<string, Set<Reader>>();
  let isStopped = false;

  function report(accountId: string, change: JobChange): void {
    for (const reader of readers.get(accountId) ?? []) {
      reader.firstReported ??= change.id;
      if (reader.waiting.length === maxWaiting) {
        reader.waiting = [];
        reader.isBehind = true;
      }
      if (!reader.isBehind) reader.waiting.push(change);
      reader.wake();
    }
  }

  async function read(
    accountId: string,
    after: number | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JobChange>> {
    const reader: Reader = {
      waiting: [],
      isBehind: after !== null,
      isOver: false,
      firstReported: null,
      wake: () => undefined,
      end: () => {
        reader.isOver = true;
        signal.removeEventListener("abort", reader.end);
        remove(accountId, reader);
        reader.wake();
      },
    };
    add(accountId, reader);
    signal.addEventListener("abort", reader.end);
    if (signal.aborted || isStopped) reader.end();
    try {
      const current = reader.isOver ? 0 : await currentNumber(accountId, reader);
      // `after` can be higher than `current` after a restore from a backup.
      return readChanges(accountId, reader, after === null ? current : Math.min(after, current));
    } catch (error) {
      reader.end();
      throw error;
    }
  }

  async function* readChanges(
    accountId: string,
    reader: Reader,
    after: number,
  ): AsyncGenerator<JobChange> {
    let last = after;
    try {
      while (!reader.isOver) {
        if (reader.isBehind) {
          // The check of `last` drops changes that are also reported during the read.
          reader.isBehind = false;
          for await (const change of storedChanges(accountId, last)) {
            if (reader.isOver) return;
            last = change.id;
            yield change;
          }
          continue;
        }
        const next = reader.waiting.shift();
        if (next === undefined) await untilWoken(reader);
        else if (next.id > last + 1) fallBehind(reader);
        else if (next.id > last) {
          last = next.id;
          yield next;
        }
      }
    } finally {
      reader.end();
    }
  }

  async function currentNumber(accountId: string, reader: Reader): Promise<number> {
    const last = await store.read("lastChange", { accountId });
    return reader.firstReported === null ? last : Math.min(last, reader.firstReported - 1);
  }

  async function* storedChanges(accountId: string, after: number): AsyncGenerator<JobChange> {
    const limit = maxWaiting;
    let last = after;
    for (;;) {
      const page = await store.read("changesAfter", {
        accountId,
        after: last,
        limit,
        nowMs: now(),
      });
      yield* page;
      if (page.length < limit) return;
      last = page.at(-1)?.id ?? last;
    }
  }

  function add(accountId: string, reader: Reader): void {
    const present = readers.get(accountId) ?? new Set();
    readers.set(accountId, present.add(reader));
  }

  function remove(accountId: string, reader: Reader): void {
    const present = readers.get(accountId);
    present?.delete(reader);
    if (present?.size === 0) readers.delete(accountId);
  }

  function readAgain(): void {
    for (const present of readers.values()) {
      for (const reader of present) {
        fallBehind(reader);
        reader.wake();
      }
    }
  }

  function end(accountId: string): void {
    for (const reader of [...(readers.get(accountId) ?? [])]) reader.end();
  }

  function stop(): void {
    isStopped = true;
    for (const present of [...readers.values()]) for (const reader of present) reader.end();
  }

  return { report, read, readAgain, end, stop };
}

function fallBehind(reader: Reader): void {
  reader.waiting = [];
  reader.isBehind = true;
}

function untilWoken(reader: Reader): Promise<void> {
  return new Promise((resolve) => {
    reader.wake = resolve;
  });
}
