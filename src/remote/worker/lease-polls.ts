import type { Clock } from "../../lib/clock.ts";
import { firstOf } from "../../lib/first-of.ts";
import type { Attested } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { codeOf, isUnreachable } from "./gateway-errors.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { Reachability } from "./gateway-state.ts";

export type LeasePollsContext = {
  link: GatewayLink;
  attestLoop: Pick<AttestLoop, "whenAdmitted">;
  reachability: Pick<Reachability, "turn">;
  clock: Clock;
};

/** An encrypted job, and the attestation at its request. */
export type LeasedEnvelope = { envelope: unknown; attested: Attested };

/** Minimum interval when the gateway answers at once without work. */
const leastPollMs = 500;
/** Concurrent polls per method set, however many runners: one that gets a job lets the next poll. */
const mostPolls = 2;

export type LeasePolls = {
  /** Null without a job within `waitMs` or while unreachable. `open` runs before the slot is released. */
  poll<Opened>(
    methods: readonly string[],
    waitMs: number,
    signal: AbortSignal | undefined,
    open: (leased: LeasedEnvelope) => Promise<Opened | null>,
  ): Promise<Opened | null>;
};

export function createLeasePolls(context: LeasePollsContext): LeasePolls {
  const { link, attestLoop, reachability, clock } = context;
  const slots = new Map<string, PollSlots>();

  async function request(
    methods: readonly string[],
    heldMs: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    try {
      const body = { methods, wait_ms: heldMs };
      return await link.post("lease", body, { heldMs, ...(signal && { signal }) });
    } catch (error) {
      if (isUnreachable(error) || codeOf(error) === "node_unauthorized") return null;
      throw error;
    }
  }

  return {
    poll: async (methods, waitMs, signal, open) => {
      const endMs = clock.elapsed() + waitMs;
      const name = methods.join(" ");
      const ofMethods = slots.get(name) ?? createPollSlots(clock);
      slots.set(name, ofMethods);
      const release = await ofMethods.take(waitMs, signal);
      try {
        signal?.throwIfAborted();
        if (release === null) return null;
        const attested = await attestLoop.whenAdmitted(endMs - clock.elapsed(), signal);
        if (attested === null) return null;
        if (!(await reachability.turn(endMs - clock.elapsed(), signal))) return null;
        const sentMs = clock.elapsed();
        const storedMs = Math.max(0, Math.min(Math.round(endMs - sentMs), attested.leaseWaitMs));
        const envelope = await request(methods, storedMs, signal);
        if (envelope !== null) return await open({ envelope, attested });
        const restMs = Math.min(leastPollMs, storedMs) - (clock.elapsed() - sentMs);
        if (restMs > 0) await clock.sleep(restMs, signal);
        return null;
      } finally {
        release?.();
      }
    },
  };
}

export type PollSlots = {
  take(waitMs: number, signal?: AbortSignal): Promise<(() => void) | null>;
};

export function createPollSlots(clock: Clock): PollSlots {
  const waiting = new Set<(slot: () => void) => void>();
  let free = mostPolls;

  function slot(): () => void {
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      for (const give of waiting) return give(slot());
      free += 1;
    };
  }

  return {
    take: async (waitMs, signal) => {
      if (free > 0) {
        free -= 1;
        return slot();
      }
      return await firstOf<() => void>(clock, waitMs, signal, (give) => {
        waiting.add(give);
        return () => waiting.delete(give);
      });
    },
  };
}
