import { leaseLost } from "../../jobs/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AnswerSealer } from "../protocol/sealed-job.ts";

/** A lease that is held, and what its answer is sealed with. */
type HeldLease = {
  uuid: string;
  /** What is asked, as it was sealed. */
  request: string;
  sealer: AnswerSealer;
  lost: AbortController;
  /** Elapsed time. */
  untilMs: number;
};

/** The leases of a node, by their tokens. */
export type HeldLeases = {
  add(token: string, lease: HeldLease): void;
  /** Errors: `lease_lost` for one that is held no more, or has lapsed: its work is to stop then. */
  get(token: string): HeldLease;
  leftMs(token: string): number;
  /** It has ended as it should. */
  end(token: string): void;
  /** It is lost: its work is to stop. */
  drop(token: string): void;
  dropAll(): void;
  count(): number;
};

export function createHeldLeases(clock: Pick<Clock, "elapsed">): HeldLeases {
  const held = new Map<string, HeldLease>();

  function get(token: string): HeldLease {
    const lease = held.get(token);
    if (lease !== undefined && clock.elapsed() < lease.untilMs) return lease;
    drop(token);
    throw leaseLost();
  }

  function drop(token: string): void {
    held.get(token)?.lost.abort(leaseLost());
    held.delete(token);
  }

  return {
    add: (token, lease) => held.set(token, lease),
    get,
    leftMs: (token) => get(token).untilMs - clock.elapsed(),
    end: (token) => held.delete(token),
    drop,
    dropAll: () => {
      for (const token of [...held.keys()]) drop(token);
    },
    count: () => held.size,
  };
}
