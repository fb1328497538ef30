import type { Clock } from "../../lib/clock.ts";

/** The gateway's clock as a node knows it: what its signatures are dated by, and the times of jobs are held against. */
export type GatewayClock = {
  /** Unix milliseconds at the gateway; this machine's own until the gateway has told any. */
  now(): number;
  /**
   * Takes over what the gateway told in an answer to a request that was sent at `sentMs`, elapsed time. How far that is from
   * what was believed; null the first time.
   */
  learn(toldMs: number, sentMs: number): number | null;
};

/**
 * Goes by the elapsed time of this machine from what the gateway told last: whoever runs the machine can put its wall clock
 * anywhere, and changes nothing here.
 */
export function createGatewayClock(clock: Pick<Clock, "now" | "elapsed">): GatewayClock {
  let offsetMs: number | null = null;

  return {
    now: () => (offsetMs === null ? clock.now() : Math.round(clock.elapsed() + offsetMs)),
    learn: (toldMs, sentMs) => {
      // The gateway looked at its clock somewhere between the request and its answer.
      const learntMs = toldMs - (sentMs + clock.elapsed()) / 2;
      const changeMs = offsetMs === null ? null : learntMs - offsetMs;
      offsetMs = learntMs;
      return changeMs;
    },
  };
}
