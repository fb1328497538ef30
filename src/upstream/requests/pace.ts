import type { Clock } from "../../lib/clock.ts";
import { queueTooLong } from "../../platforms/request-errors.ts";
import type { UpstreamJob } from "./sessions.ts";

/**
 * Round-robin among accounts, FIFO within an account. Errors: `upstream_limited`, without taking a
 * turn, if a job's turn would come after its deadline.
 */
export type Pace = { waitForTurn(job: UpstreamJob): Promise<void> };

type Waiter = { accountId: string; begin: () => void };

export function createPace({ clock, perSecond }: { clock: Clock; perSecond: number }): Pace {
  const turns = new Map<string, { turn: Promise<void>; untilMs: number }>();
  /** Oldest first, by `clock.elapsed()`. */
  const startedMs: number[] = [];
  const waitersByAccount = new Map<string, Waiter[]>();
  let isStarting = false;

  async function wait(job: UpstreamJob): Promise<void> {
    const { accountId, signal, deadlineMs } = job;
    signal.throwIfAborted();
    const remainingMs = deadlineMs - clock.now();
    if (remainingMs <= 0) return;
    const waitMs = startDelayMs(countWaitersBefore(accountId));
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
      const accountWaiters = waitersByAccount.get(accountId);
      if (accountWaiters === undefined) waitersByAccount.set(accountId, [waiter]);
      else accountWaiters.push(waiter);
      if (!isStarting) void startWaiters();
    });
  }

  /** All jobs of the account, and from each other account at most one more than that. */
  function countWaitersBefore(accountId: string): number {
    const accountWaiterCount = waitersByAccount.get(accountId)?.length ?? 0;
    let waiterCount = accountWaiterCount;
    for (const [other, { length }] of waitersByAccount) {
      if (other !== accountId) waiterCount += Math.min(length, accountWaiterCount + 1);
    }
    return waiterCount;
  }

  function removeWaiter(waiter: Waiter): void {
    const { accountId } = waiter;
    const accountWaiters = waitersByAccount.get(accountId) ?? [];
    accountWaiters.splice(accountWaiters.indexOf(waiter), 1);
    if (accountWaiters.length === 0) waitersByAccount.delete(accountId);
  }

  function startNext(): void {
    const [next] = waitersByAccount.values();
    const waiter = next?.[0];
    if (next === undefined || waiter === undefined) return;
    removeWaiter(waiter);
    if (waitersByAccount.delete(waiter.accountId)) waitersByAccount.set(waiter.accountId, next);
    waiter.begin();
  }

  function startDelayMs(waitersBefore: number): number {
    const unusedStarts = perSecond - startedMs.length;
    const round = Math.floor(waitersBefore / perSecond);
    const earlierMs =
      startedMs[(waitersBefore % perSecond) - unusedStarts] ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, earlierMs + 1_000 - clock.elapsed()) + round * 1_000;
  }

  async function startWaiters(): Promise<void> {
    isStarting = true;
    while (waitersByAccount.size > 0) {
      const waitMs = startDelayMs(0);
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
    waitForTurn: (job) => {
      const key = `${job.uuid} ${job.attempt}`;
      const currentTurn = turns.get(key);
      if (currentTurn !== undefined) return currentTurn.turn;
      dropExpiredTurns();
      const turn = wait(job);
      turns.set(key, { turn, untilMs: job.deadlineMs });
      return turn;
    },
  };
}
