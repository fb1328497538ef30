import type { Lease } from "../../jobs/leases/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import type { OpenedJob } from "../protocol/encrypted-job.ts";
import { jobRefused } from "../protocol/errors.ts";
import type { Attested } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import type { GatewayClock } from "./gateway-state.ts";

/** The job's credential, usable until its expiry or the lease's. */
export function releaseIn(
  { payload: { credential }, release }: Pick<OpenedJob, "payload" | "release">,
  context: {
    attested: Attested;
    attestLoop: Pick<AttestLoop, "admitted">;
    clock: Pick<Clock, "elapsed">;
    gatewayClock: Pick<GatewayClock, "now">;
    lost: AbortSignal;
  },
): Pick<Lease<unknown>, "released"> {
  if (credential === undefined || release === undefined) return {};
  const { attested, attestLoop, clock, gatewayClock, lost } = context;
  const current = attestLoop.admitted()?.attestationId;
  if (![attested.attestationId, current].includes(release.attestation)) {
    throw jobRefused("other_attestation", "the credential was released to another attestation");
  }
  const leftMs = release.expires_at * 1_000 - gatewayClock.now();
  if (leftMs <= 0) {
    throw jobRefused("credential_expired", "the credential has expired");
  }
  const untilMs = clock.elapsed() + leftMs;
  return { released: { credential, hasExpired: () => lost.aborted || clock.elapsed() >= untilMs } };
}
