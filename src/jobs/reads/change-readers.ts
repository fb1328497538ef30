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

const maxBuffered = 256;

type Reader = {
  buffer: JobChange[];
  isBehind: boolean;
  isOver: boolean;
  firstReportedId: number | null;
  wake: () => void;
  end: () => void;
};

export function createChangeReaders(store: Store<JobOperations>, now: () => number): ChangeReaders {
  const readers = new Map<string, Set<Reader>>();
  let isStopped = false;

  function report(accountId: string, change: JobChange): void {
    for (const reader of readers.get(accountId) ?? []) {
      reader.firstReportedId ??= change.id;
      if (reader.buffer.length === maxBuffered) {
        reader.buffer = [];
        reader.isBehind = true;
      }
      if (!reader.isBehind) reader.buffer.push(change);
      reader.wake();
    }
  }

  async function read(
    accountId: string,
    after: number | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JobChange>> {
    const reader: Reader = {
      buffer: [],
      isBehind: after !== null,
      isOver: false,
      firstReportedId: null,
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
      const stored = reader.isOver ? 0 : await store.read("lastChange", { accountId });
      // `after` can be higher than `stored` after a restore from a backup.
      const start = after === null ? beforeReported(stored, reader) : Math.min(after, stored);
      return readChanges(accountId, reader, start);
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
        const next = reader.buffer.shift();
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

  const beforeReported = (stored: number, { firstReportedId }: Reader): number =>
    firstReportedId === null ? stored : Math.min(stored, firstReportedId - 1);

  async function* storedChanges(accountId: string, after: number): AsyncGenerator<JobChange> {
    const limit = maxBuffered;
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
    const accountReaders = readers.get(accountId) ?? new Set();
    readers.set(accountId, accountReaders.add(reader));
  }

  function remove(accountId: string, reader: Reader): void {
    const accountReaders = readers.get(accountId);
    accountReaders?.delete(reader);
    if (accountReaders?.size === 0) readers.delete(accountId);
  }

  function readAgain(): void {
    for (const accountReaders of readers.values()) {
      for (const reader of accountReaders) {
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
    for (const accountReaders of [...readers.values()])
      for (const reader of accountReaders) reader.end();
  }

  return { report, read, readAgain, end, stop };
}

function fallBehind(reader: Reader): void {
  reader.buffer = [];
  reader.isBehind = true;
}

function untilWoken(reader: Reader): Promise<void> {
  return new Promise((resolve) => {
    reader.wake = resolve;
  });
}
