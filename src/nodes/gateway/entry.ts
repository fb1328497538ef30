import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { readSignedRequest, type SenderOfRequest } from "../protocol/signed-request.ts";
import { checkOf, nodeUnauthorized, tooManyAttempts } from "./faults.ts";
import type { SignedRequest } from "./gateway.ts";
import type { Session, Sessions } from "./sessions.ts";

/** What a run may still do that holds leases when its attestation ends: hand in, and go. */
const handsIn = /\/(?:complete|fail|leave)$/;

/**
 * Who has signed a request: a run that is attested, once for each nonce, at its time. Errors: `node_unauthorized` with
 * `unknown_key`, `attestation_ended`, `clock_skew`, `before_attestation`, `replayed`, or what is wrong with the signature; `too_many_attempts`.
 */
export function enter(
  request: SignedRequest,
  {
    sessions,
    clock,
    clockSkewMs,
    holdsLeases,
  }: {
    sessions: Sessions;
    clock: Clock;
    clockSkewMs: number;
    holdsLeases: (session: Session) => boolean;
  },
): Session {
  const sender = senderOf(request);
  const session = sessions.get(sender.keyId);
  if (session === undefined) {
    throw nodeUnauthorized("unknown_key", "no node with this key has attested to this gateway");
  }
  // Nothing is told of a run to whom does not hold its key.
  if (!sender.isSignedBy(session.signingKey)) {
    throw nodeUnauthorized("bad_signature", "the signature is not that of the key");
  }
  const skewMs = Math.abs(sender.createdMs - clock.now());
  if (skewMs > clockSkewMs) {
    throw nodeUnauthorized(
      "clock_skew",
      `the request was signed ${Math.round(skewMs / 1_000)} s away from the gateway's time`,
    );
  }
  // Nonces are remembered since the run attested: what was signed in an earlier second may be a replay.
  if (sender.createdMs + 1_000 <= session.connectedMs) {
    throw nodeUnauthorized("before_attestation", "the request was signed before the run attested");
  }
  noteNonce(session, sender, clock, clockSkewMs);
  if (!sessions.isLive(session) && !(handsIn.test(request.path) && holdsLeases(session))) {
    throw nodeUnauthorized("attestation_ended", "the attestation of the node has ended");
  }
  session.heardMs = clock.elapsed();
  return session;
}

function noteNonce(
  { requests }: Session,
  { nonce }: SenderOfRequest,
  clock: Clock,
  clockSkewMs: number,
): void {
  const nowMs = clock.elapsed();
  // A whole second more, as the times of signatures are whole seconds.
  const noted = requests.note(nonce, nowMs + 2 * clockSkewMs + 1_000, nowMs);
  if (noted === "replayed") {
    throw nodeUnauthorized("replayed", "a request with this nonce came before");
  }
  if (noted === "full") throw tooManyAttempts("the node sends too many requests");
}

function senderOf(request: SignedRequest): SenderOfRequest {
  try {
    return readSignedRequest(request);
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    const { code, message } = checkOf(error);
    throw nodeUnauthorized(code, message);
  }
}
