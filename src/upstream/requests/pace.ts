import type { Clock } from "../../lib/clock.ts";
import { queueTooLong } from "../../platforms/request-errors.ts";
import type { UpstreamJob } from "./sessions.ts";

/**
 * Round-robin among accounts, FIFO within an account. Errors: `upstream_limited`, without taking a
 * turn, if a job's turn would come after its deadline.
 */
export type Pace = { turn(job: UpstreamJob): Promise<void> };

type Waiter = { accountId: string; begin: () => void };

export function createPace({ clock, perSecond }: { clock: Clock; perSecond: number }): Pace {
  const turns = new Map<string, { turn: Promise<void>; untilMs: number }>();
  /** Oldest first, by `clock.elapsed()`. */
  const startedMs: number[] = [];
  const waiting = new Map<string, Waiter[]>();
  let isStarting = false;

  async function wait(job: UpstreamJob): Promise<void> {
    const { accountId, signal, deadlineMs } = job;
    signal.throwIfAborted();
    const remainingMs = deadlineMs - clock.now();
    if (remainingMs <= 0) return;
    const waitMs = startsInMs(waitingBefore(accountId));
    if (waitMs > remainingMs) throw queueTooLong(perSecond, waitMs);
    await new Promise<void>((resolve, reject) => {
      const waiter = { accountId, begin: () => end(resolve) };
      const abort = () => {
        removeWaiter(waiter);
        end(() => reject(signal.reason));
      };
      const end = (settle: () => void) => {
        signal.removeEventListener("abort", abort);
        settle();
      };
      signal.addEventListener("abort", abort, { once: true });
      const ofAccount = waiting.get(accountId);
      if (ofAccount === undefined) waiting.set(accountId, [waiter]);
      else ofAccount.push(waiter);
      if (!isStarting) void startWaiting();
    });
  }

  /** All jobs of the account, and from each other account at most one more than that. */
  function waitingBefore(accountId: string): number {
    const accountWaiting = waiting.get(accountId)?.length ?? 0;
    let before = accountWaiting;
    for (const [other, { length }] of waiting) {
      if (other !== accountId) before += Math.min(length, accountWaiting + 1);
    }
    return before;
  }

  function removeWaiter(waiter: Waiter): void {
    const { accountId } = waiter;
    const ofAccount = waiting.get(accountId) ?? [];
    ofAccount.splice(ofAccount.indexOf(waiter), 1);
    if (ofAccount.length === 0) waiting.delete(accountId);
  }

  function startNext(): void {
    const [next] = waiting.values();
    const waiter = next?.[0];
    if (next === undefined || waiter === undefined) return;
    removeWaiter(waiter);
    if (waiting.delete(waiter.accountId)) waiting.set(waiter.accountId, next);
    waiter.begin();
  }

  function startsInMs(before: number): number {
    const missing = perSecond - startedMs.length;
    const round = Math.floor(before / perSecond);
    const earlierMs = startedMs[(before % perSecond) - missing] ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, earlierMs + 1_000 - clock.elapsed()) + round * 1_000;
  }

  async function startWaiting(): Promise<void> {
    isStarting = true;
    while (waiting.size > 0) {
      const waitMs = startsInMs(0);
      if (waitMs > 0) {
        await clock.sleep(waitMs);
        continue;
      }
      startedMs.push(clock.elapsed());
      if (startedMs.length > perSecond) startedMs.shift();
      startNext();
    }
    isStarting = false;
  }

  function dropExpiredTurns(): void {
    const nowMs = clock.now();
    for (const [key, { untilMs }] of turns) {
      if (untilMs > nowMs) return;
      turns.delete(key);
    }
  }

  return {
    turn: (job) => {
      const key = `${job.uuid} ${job.attempt}`;
      const running = turns.get(key);
      if (running !== undefined) return running.turn;
      dropExpiredTurns();
      const turn = wait(job);
      turns.set(key, { turn, untilMs: job.deadlineMs });
      return turn;
    },
  };
}
