import type { Clock } from "../../lib/clock.ts";
import type { Attested } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { codeOf, isUnreachable } from "./gateway-errors.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { Reachability } from "./gateway-state.ts";

export type LeaseRequestContext = {
  link: GatewayLink;
  attestLoop: Pick<AttestLoop, "whenAdmitted">;
  reachability: Pick<Reachability, "turn">;
  clock: Clock;
};

export type LeasedEnvelope = { envelope: unknown; attested: Attested };

/** Minimum duration of a poll, for when the gateway answers at once without work. */
const leastPollMs = 500;

/** Null also while the gateway is unreachable or does not know the node. */
export async function requestLease(
  { link, attestLoop, reachability, clock }: LeaseRequestContext,
  methods: readonly string[],
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<LeasedEnvelope | null> {
  const endMs = clock.elapsed() + waitMs;
  const attested = await attestLoop.whenAdmitted(waitMs, signal);
  if (attested === null) return null;
  if (!(await reachability.turn(endMs - clock.elapsed(), signal))) return null;
  const sentMs = clock.elapsed();
  const heldMs = Math.max(0, Math.min(Math.round(endMs - sentMs), attested.leaseWaitMs));
  try {
    const body = { methods, wait_ms: heldMs };
    const envelope = await link.post("lease", body, { heldMs, ...(signal && { signal }) });
    if (envelope !== null) return { envelope, attested };
  } catch (error) {
    if (!isUnreachable(error) && codeOf(error) !== "node_unauthorized") throw error;
  }
  const restMs = Math.min(leastPollMs, heldMs) - (clock.elapsed() - sentMs);
  if (restMs > 0) await clock.sleep(restMs, signal);
  return null;
}
