import type { Clock } from "../../lib/clock.ts";
import { noTurn } from "./faults.ts";
import type { AskingJob } from "./sessions.ts";

/**
 * The pace at which jobs begin to ask platforms: no more than `perSecond` in any second, in the order in which they come.
 * `turn` resolves when the job may begin, at once where it has begun already. Errors: `upstream_limited` when its turn comes
 * after its deadline; the reason of its signal. A job whose deadline has passed takes no turn: it may ask no more, and who asks
 * for it says so.
 */
export type Pace = { turn(job: AskingJob): Promise<void> };

type Waiter = { begin: () => void };

export function createPace({ clock, perSecond }: { clock: Clock; perSecond: number }): Pace {
  /** The turn of each attempt at a job, until its deadline. */
  const turns = new Map<string, { turn: Promise<void>; untilMs: number }>();
  /** When the last `perSecond` jobs began, oldest first, by the clock's `elapsed`. */
  const begun: number[] = [];
  const waiting: Waiter[] = [];
  let isLetting = false;

  async function wait(job: AskingJob): Promise<void> {
    const { signal, deadlineMs } = job;
    signal.throwIfAborted();
    const leftMs = deadlineMs - clock.now();
    if (leftMs <= 0) return;
    const waitMs = beginsInMs(waiting.length);
    if (waitMs > leftMs) throw noTurn(perSecond, waitMs);
    await new Promise<void>((resolve, reject) => {
      const waiter = { begin: () => end(resolve) };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(waiter), 1);
        end(() => reject(signal.reason));
      };
      const end = (settle: () => void) => {
        signal.removeEventListener("abort", giveUp);
        settle();
      };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(waiter);
      if (!isLetting) void letBegin();
    });
  }

  /** In how many milliseconds a job begins that has so many before it, at the latest. */
  function beginsInMs(before: number): number {
    const missing = perSecond - begun.length;
    const round = Math.floor(before / perSecond);
    const begunMs = begun[(before % perSecond) - missing] ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, begunMs + 1_000 - clock.elapsed()) + round * 1_000;
  }

  async function letBegin(): Promise<void> {
    isLetting = true;
    while (waiting.length > 0) {
      const waitMs = beginsInMs(0);
      if (waitMs > 0) {
        await clock.sleep(waitMs);
        continue;
      }
      begun.push(clock.elapsed());
      if (begun.length > perSecond) begun.shift();
      waiting.shift()?.begin();
    }
    isLetting = false;
  }

  function forgetPast(): void {
    const nowMs = clock.now();
    for (const [key, { untilMs }] of turns) {
      if (untilMs > nowMs) return;
      turns.delete(key);
    }
  }

  return {
    turn: (job) => {
      const key = `${job.uuid} ${job.attempt}`;
      const known = turns.get(key);
      if (known !== undefined) return known.turn;
      forgetPast();
      const turn = wait(job);
      turns.set(key, { turn, untilMs: job.deadlineMs });
      return turn;
    },
  };
}
