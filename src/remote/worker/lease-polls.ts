import type { Clock } from "../../lib/clock.ts";
import type { Attested } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { codeOf, isUnreachable } from "./gateway-faults.ts";
import type { GatewayLink } from "./gateway-link.ts";
import { createPollSlots, type PollSlots } from "./poll-slots.ts";
import type { Reachability } from "./reachability.ts";

export type LeasePollsContext = {
  link: GatewayLink;
  attestLoop: Pick<AttestLoop, "whenAdmitted">;
  reachability: Pick<Reachability, "turn">;
  clock: Clock;
};

/** What a gateway gave, unopened, and the attestation that it was asked under. */
export type GivenJob = { envelope: unknown; attested: Attested };

/** Between two requests for work where the gateway answers at once that there is none. */
const leastPollMs = 500;

export type LeasePolls = {
  /**
   * Asks for work of these methods for up to `waitMs`; null when none came, or there was no gateway to ask. `take` has what came
   * before anybody else asks.
   */
  poll<Taken>(
    methods: readonly string[],
    waitMs: number,
    signal: AbortSignal | undefined,
    take: (given: GivenJob) => Promise<Taken | null>,
  ): Promise<Taken | null>;
};

export function createLeasePolls(context: LeasePollsContext): LeasePolls {
  const { link, attestLoop, reachability, clock } = context;
  const slotsOf = new Map<string, PollSlots>();

  /** Those who take the same methods share their requests for work. */
  function slotsFor(methods: readonly string[]): PollSlots {
    const name = methods.join(" ");
    const slots = slotsOf.get(name) ?? createPollSlots(clock);
    slotsOf.set(name, slots);
    return slots;
  }

  /** The envelope; null when there is no work. */
  async function ask(
    methods: readonly string[],
    heldMs: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const options = { heldMs, ...(signal === undefined ? {} : { signal }) };
    try {
      return await link.post("lease", { methods, wait_ms: heldMs }, options);
    } catch (fault) {
      if (isUnreachable(fault) || codeOf(fault) === "node_unauthorized") return null;
      throw fault;
    }
  }

  return {
    poll: async (methods, waitMs, signal, take) => {
      const endMs = clock.elapsed() + waitMs;
      const release = await slotsFor(methods).take(waitMs, signal);
      try {
        signal?.throwIfAborted();
        if (release === null) return null;
        const attested = await attestLoop.whenAdmitted(endMs - clock.elapsed(), signal);
        if (attested === null) return null;
        if (!(await reachability.turn(endMs - clock.elapsed(), signal))) return null;
        const askedMs = clock.elapsed();
        const heldMs = Math.max(0, Math.min(Math.round(endMs - askedMs), attested.leaseWaitMs));
        const envelope = await ask(methods, heldMs, signal);
        if (envelope !== null) return await take({ envelope, attested });
        const restMs = Math.min(leastPollMs, heldMs) - (clock.elapsed() - askedMs);
        if (restMs > 0) await clock.sleep(restMs, signal);
        return null;
      } finally {
        release?.();
      }
    },
  };
}
