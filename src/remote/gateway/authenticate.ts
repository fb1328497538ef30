import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { nodeUnauthorized } from "../protocol/errors.ts";
import { readSignedRequest, type SignedRequest } from "../protocol/signed-request.ts";
import { clockSkewMs } from "../settings.ts";
import type { Run, Runs } from "./runs.ts";

/** Routes allowed after the attestation has expired, while the run has leases. */
const completionRoute = /\/(?:complete|fail|leave)$/;

/** Maximum per run. Dropping nonces early would let requests be sent twice. */
const maxNonces = 20_000;

/** Identifies the signing run and records the nonce. */
export function authenticateNode(
  request: SignedRequest,
  { runs, clock }: { runs: Runs; clock: Clock },
): Run {
  const sender = readSignedRequest(request);
  const run = runs.get(sender.keyId);
  if (run === undefined) {
    throw nodeUnauthorized("unknown_key", "no node with this key has attested to this gateway");
  }
  // The signature is checked first: without the key, a caller learns only that the run exists.
  if (!sender.isSignedBy(run.signingKey)) {
    throw nodeUnauthorized("bad_signature", "the signature does not match the key");
  }
  const skewMs = Math.abs(sender.createdMs - clock.now());
  if (skewMs > clockSkewMs) {
    const seconds = Math.round(skewMs / 1_000);
    throw nodeUnauthorized(
      "clock_skew",
      `the request was signed ${seconds} s before or after the gateway's time`,
    );
  }
  // Earlier nonces are not recorded, so this could be a repeated request.
  if (sender.createdMs + 1_000 <= run.connectedMs) {
    throw nodeUnauthorized("before_attestation", "the request was signed before the run attested");
  }
  recordNonce(run, sender.nonce, clock.elapsed(), 2 * clockSkewMs + 1_000);
  if (!(completionRoute.test(request.path) && run.leases.size > 0)) runs.requireLive(run);
  run.lastRequestMs = clock.elapsed();
  return run;
}

function recordNonce({ nonces }: Run, nonce: string, nowMs: number, lifetimeMs: number): void {
  for (const [oldestNonce, expiresMs] of nonces) {
    if (expiresMs > nowMs) break;
    nonces.delete(oldestNonce);
  }
  if (nonces.has(nonce)) {
    throw nodeUnauthorized("replayed", "the nonce was used before");
  }
  if (nonces.size >= maxNonces) throw tooManyNodeAttempts("the node is sending too many requests");
  nonces.set(nonce, nowMs + lifetimeMs);
}

export function tooManyNodeAttempts(message: string): EarshotError {
  const hint = "wait a minute";
  return new EarshotError("too_many_attempts", message, { status: 429, retryable: true, hint });
}
