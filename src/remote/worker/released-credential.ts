import type { Lease } from "../../jobs/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import { openCredential } from "../protocol/sealed-credential.ts";
import type { OpenedJob } from "../protocol/sealed-job.ts";
import type { Attested, NodeSelf } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import type { GatewayClock } from "./gateway-clock.ts";

/**
 * The credential that came with a job, if one did. It is over when its time is, or when the lease is lost. Errors: those of
 * `openCredential`.
 */
export async function releaseIn(
  { uuid, lease, payload }: Pick<OpenedJob, "uuid" | "lease" | "payload">,
  context: {
    self: NodeSelf;
    /** The attestation that the job was requested under; it may have been renewed since. */
    attested: Attested;
    attestLoop: Pick<AttestLoop, "admitted">;
    clock: Pick<Clock, "elapsed">;
    gatewayClock: Pick<GatewayClock, "now">;
    lost: AbortSignal;
  },
): Promise<Pick<Lease<unknown>, "released">> {
  const { self, attested, attestLoop, clock, gatewayClock, lost } = context;
  const sealed = payload.credential;
  if (sealed === undefined) return {};
  const nowMs = gatewayClock.now();
  const credential = await openCredential(sealed, {
    keys: self.keys,
    keyId: self.keyId,
    job: uuid,
    lease,
    attestations: [attested, attestLoop.admitted()].flatMap((one) => one?.attestationId ?? []),
    nowMs,
  });
  const untilMs = clock.elapsed() + sealed.expires_at * 1_000 - nowMs;
  return { released: { credential, isOver: () => lost.aborted || clock.elapsed() >= untilMs } };
}
