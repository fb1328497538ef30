import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Capability } from "../capability.ts";
import type { EvidenceProvider } from "../evidence/evidence.ts";
import { base64url } from "../protocol/encoding.ts";
import type { Identity, RunKeys } from "../protocol/keys.ts";
import {
  type ChallengeAnswer,
  challengeAnswer,
  type RegistrationAnswer,
  registrationAnswer,
} from "../protocol/messages.ts";
import { quoteDigestOf } from "../protocol/signed-result.ts";
import {
  attestationIdOf,
  identityMessageOf,
  type NodeStatement,
  reportDataOf,
} from "../protocol/statement.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import { unreachable } from "./gateway-faults.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { GatewayPin } from "./gateway-pin.ts";

/** Who a node is in a run: its identity, and the keys of the run. */
export type NodeSelf = {
  nodeId: string;
  keyId: string;
  identity: Identity;
  keys: RunKeys;
  /** 16 bytes in base64url, fresh at each start. */
  bootId: string;
};

/** What it says of itself beside its keys. */
export type NodeOffer = {
  name: string;
  /** Jobs that it runs at a time. */
  concurrency: number;
  url: string | null;
  version: string;
  /** What it can do, as it is configured at the moment of the call. */
  capabilities(): Promise<readonly Capability[]>;
};

/** An attestation that the gateway took; times are the node's elapsed ones. */
export type Attested = {
  state: RegistrationAnswer["state"];
  attestationId: string;
  /** Null without a quote. */
  quoteSha256: Uint8Array | null;
  /** The key that jobs of this gateway are signed with. */
  gatewayKey: string;
  atMs: number;
  untilMs: number;
  validMs: number;
  againMs: number;
  leaseWaitMs: number;
};

export type AttestContext = {
  self: NodeSelf;
  offer: NodeOffer;
  provider: EvidenceProvider;
  link: GatewayLink;
  gatewayClock: GatewayClock;
  clock: Pick<Clock, "elapsed">;
  audience: string;
  pin: GatewayPin;
  /** Told how far the gateway's clock was from what was believed of it. */
  onClock: (changeMs: number) => void;
};

/**
 * Attests once: asks for a challenge, has evidence made for a statement that holds it, and registers. Errors:
 * `gateway_key_mismatch` and `audience_mismatch` for a gateway that is not the one meant, `node_refused` as the gateway says,
 * `evidence_unavailable`, `gateway_unreachable`.
 */
export async function attestOnce(context: AttestContext, signal: AbortSignal): Promise<Attested> {
  const { self, offer, provider, link, clock } = context;
  const challenge = await challenged(context, signal);
  const { statement, identitySignature } = stateFor(self, provider, challenge);
  const evidence = await provider.evidenceFor(reportDataOf(statement));
  const sentMs = clock.elapsed();
  const offered = {
    statement,
    identity_signature: identitySignature,
    evidence,
    name: offer.name,
    capabilities: await offer.capabilities(),
    concurrency: offer.concurrency,
    url: offer.url,
    version: offer.version,
  };
  const answer = await link.post("register", offered, { signal });
  const read = registrationAnswer.safeParse(answer);
  if (!read.success) throw unreachable("the gateway's answer to the registration is malformed");
  const { state, valid_ms: validMs, again_in_ms: againMs, lease_wait_ms } = read.data;
  return {
    state,
    attestationId: attestationIdOf(statement, evidence),
    quoteSha256: quoteDigestOf(evidence),
    gatewayKey: challenge.gateway_key,
    atMs: clock.elapsed(),
    untilMs: sentMs + validMs,
    validMs,
    againMs,
    leaseWaitMs: lease_wait_ms,
  };
}

/** A statement of the node, signed with its identity. */
export function stateFor(
  { identity, keys, bootId }: NodeSelf,
  { kind }: Pick<EvidenceProvider, "kind">,
  { audience, nonce, gateway_key }: Pick<ChallengeAnswer, "audience" | "nonce" | "gateway_key">,
): { statement: NodeStatement; identitySignature: string } {
  const statement: NodeStatement = {
    version: 1,
    evidence: kind,
    audience,
    nonce,
    identity_key: identity.key,
    signing_key: keys.signingKey,
    sealing_key: keys.sealingKey,
    boot_id: bootId,
    gateway_key,
  };
  return { statement, identitySignature: base64url(identity.sign(identityMessageOf(statement))) };
}

async function challenged(context: AttestContext, signal: AbortSignal): Promise<ChallengeAnswer> {
  const { link, clock, gatewayClock, audience, pin, onClock } = context;
  const sentMs = clock.elapsed();
  const read = challengeAnswer.safeParse(await link.post("challenge", {}, { signal }));
  if (!read.success) throw unreachable("the gateway's challenge is malformed");
  const challenge = read.data;
  if (challenge.audience !== audience) {
    throw new EarshotError(
      "audience_mismatch",
      `the gateway goes by the name ${JSON.stringify(challenge.audience)}, not ${JSON.stringify(audience)}`,
      {
        status: 403,
        hint: "EARSHOT_NODE_AUDIENCE names the gateway as its EARSHOT_NODES_AUDIENCE does",
      },
    );
  }
  pin.check(challenge.gateway_key);
  const changeMs = gatewayClock.learn(challenge.now_ms, sentMs);
  if (changeMs !== null) onClock(changeMs);
  return challenge;
}
