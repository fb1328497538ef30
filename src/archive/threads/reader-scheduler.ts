import type { ThreadCall, ThreadReply } from "../../db/threads/messages.ts";
import { failedReply, recordCurrentCall } from "../../db/threads/serve.ts";

/**
 * Runs the calls of one reader thread in slices. Reads, which are short, run before any search. The
 * next slice of searches and counts goes to the account with the least recent reader time, FIFO
 * within an account. A slice ends after `sliceMs` if another call is pending.
 */
export type ReaderScheduler = {
  add(call: ThreadCall): void;
  runSlice(addPending: () => void): ThreadReply[];
  isIdle(): boolean;
};

export type ReaderTask = {
  kind: "read" | "search";
  account: string;
  isCancelled(): boolean;
  steps: Generator<void, unknown>;
};

export type Slice = {
  isOver(): boolean;
};

export type SchedulerSettings = {
  makeTask(call: ThreadCall, slice: Slice): ReaderTask;
  sliceMs: number;
  elapsed(): number;
};

type PendingCall = { call: ThreadCall; task: ReaderTask; hasBegun: boolean };

export function createReaderScheduler({
  makeTask,
  sliceMs,
  elapsed,
}: SchedulerSettings): ReaderScheduler {
  const usage = createReaderUsage();
  const reads: PendingCall[] = [];
  const searches: PendingCall[] = [];
  const failedReplies: ThreadReply[] = [];
  let sliceEndMs = 0;
  let isAlone = true;
  let addPending = (): void => {};

  const slice: Slice = {
    isOver() {
      const nowMs = elapsed();
      if (nowMs < sliceEndMs) return false;
      addPending();
      if (isAlone && reads.length + searches.length <= 1) {
        sliceEndMs = nowMs + sliceMs;
        return false;
      }
      return true;
    },
  };

  function add(call: ThreadCall): void {
    try {
      const task = makeTask(call, slice);
      (task.kind === "read" ? reads : searches).push({ call, task, hasBegun: false });
    } catch (error) {
      failedReplies.push(failedReply(call, error));
    }
  }

  function advance(pending: PendingCall): ThreadReply | null {
    const { call, task } = pending;
    if (!pending.hasBegun && task.isCancelled()) {
      return failedReply(call, new Error("the call was cancelled before it began"));
    }
    pending.hasBegun = true;
    recordCurrentCall(call.id);
    try {
      const step = task.steps.next();
      return step.done ? { id: call.id, ok: true, value: step.value } : null;
    } catch (error) {
      return failedReply(call, error);
    }
  }

  function runReads(): ThreadReply[] {
    const replies: ThreadReply[] = [];
    isAlone = false;
    while (reads.length > 0 && elapsed() < sliceEndMs) {
      const pendingRead = reads.shift() as PendingCall;
      const reply = advance(pendingRead);
      if (reply === null) reads.push(pendingRead);
      else replies.push(reply);
    }
    return replies;
  }

  function runSearch(): ThreadReply[] {
    const startMs = elapsed();
    const nextSearch = searches.reduce((a, b) =>
      usage.usedMs(b.task.account, startMs) < usage.usedMs(a.task.account, startMs) ? b : a,
    );
    isAlone = searches.length === 1;
    const reply = advance(nextSearch);
    usage.use(nextSearch.task.account, elapsed() - startMs, elapsed());
    if (reply === null) return [];
    searches.splice(searches.indexOf(nextSearch), 1);
    return [reply];
  }

  return {
    add,
    runSlice(addPendingCalls) {
      addPending = addPendingCalls;
      sliceEndMs = elapsed() + sliceMs;
      const replies = failedReplies.splice(0);
      if (reads.length > 0) return [...replies, ...runReads()];
      return searches.length > 0 ? [...replies, ...runSearch()] : replies;
    },
    isIdle: () => reads.length + searches.length + failedReplies.length === 0,
  };
}

/** Decays with a half-life of ten seconds. */
type ReaderUsage = {
  usedMs(account: string, nowMs: number): number;
  use(account: string, tookMs: number, nowMs: number): void;
};

const halfLifeMs = 10_000;
const maxAccounts = 1_000;
const negligibleMs = 0.01;

function createReaderUsage(): ReaderUsage {
  const usageByAccount = new Map<string, { ms: number; atMs: number }>();

  function usedMs(account: string, nowMs: number): number {
    const accountUsage = usageByAccount.get(account);
    return accountUsage === undefined
      ? 0
      : accountUsage.ms * 0.5 ** ((nowMs - accountUsage.atMs) / halfLifeMs);
  }

  function use(account: string, tookMs: number, nowMs: number): void {
    usageByAccount.set(account, { ms: usedMs(account, nowMs) + tookMs, atMs: nowMs });
    if (usageByAccount.size <= maxAccounts) return;
    for (const key of usageByAccount.keys())
      if (usedMs(key, nowMs) < negligibleMs) usageByAccount.delete(key);
  }

  return { usedMs, use };
}
