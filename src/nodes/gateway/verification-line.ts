import type { Clock } from "../../lib/clock.ts";
import { notNow } from "./faults.ts";

/**
 * Verifying evidence takes a while of the event loop and may wait for collateral, so that few are verified at a time. Strangers
 * have a line of their own, with a rest after each: whoever has nothing but many addresses takes a small share of the time, and
 * keeps no known node waiting.
 */
export type VerificationLine = {
  /** Errors: those of `verify`; `unavailable` with `busy` when too many wait. */
  run<Value>(who: "known" | "stranger", verify: () => Promise<Value>): Promise<Value>;
};

const lanes = {
  known: { width: 4, mostWaiting: 1_000, restMs: 0 },
  stranger: { width: 1, mostWaiting: 32, restMs: 100 },
} as const;

export function createVerificationLine(clock: Clock): VerificationLine {
  const run = {
    known: createLane(lanes.known, clock),
    stranger: createLane(lanes.stranger, clock),
  };
  return { run: (who, verify) => run[who](verify) };
}

type Lane = <Value>(verify: () => Promise<Value>) => Promise<Value>;

function createLane(
  { width, mostWaiting, restMs }: { width: number; mostWaiting: number; restMs: number },
  clock: Clock,
): Lane {
  const waiting: (() => void)[] = [];
  let free = width;

  function next(): void {
    if (free === 0) return;
    const start = waiting.shift();
    if (start === undefined) return;
    free -= 1;
    start();
  }

  function release(): void {
    free += 1;
    next();
  }

  return async (verify) => {
    if (free === 0 && waiting.length >= mostWaiting) throw busy();
    await new Promise<void>((start) => {
      waiting.push(start);
      next();
    });
    try {
      return await verify();
    } finally {
      if (restMs === 0) release();
      else void clock.sleep(restMs).then(release);
    }
  };
}

const busy = () => notNow("busy", "too many nodes attest at a time");
