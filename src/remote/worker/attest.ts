import type { Clock } from "../../lib/clock.ts";
import type { Capability } from "../capability.ts";
import type { EvidenceProvider } from "../evidence/evidence.ts";
import { challengeResponse, registrationResponse } from "../protocol/messages.ts";
import { quoteDigest } from "../protocol/signed-result.ts";
import { hashAttestationId, hashReportData } from "../protocol/statement.ts";
import { unreachable } from "./gateway-errors.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { GatewayClock, GatewayPin } from "./gateway-state.ts";
import { makeStatement, type NodeSelf } from "./self.ts";

export type AttestationResult = Awaited<ReturnType<typeof attestOnce>>;

export type AttestContext = {
  self: NodeSelf;
  offer: {
    name: string;
    concurrency: number;
    version: string;
    capabilities(): Promise<readonly Capability[]>;
  };
  provider: EvidenceProvider;
  link: GatewayLink;
  gatewayClock: GatewayClock;
  clock: Pick<Clock, "elapsed">;
  pin: GatewayPin;
  onClockChange: (changeMs: number) => void;
};

export async function attestOnce(context: AttestContext, signal: AbortSignal) {
  const { self, offer, provider, link, clock, pin, gatewayClock } = context;
  const requestedAtMs = clock.elapsed();
  const challenge = challengeResponse.safeParse(await link.post("challenge", {}, { signal }));
  if (!challenge.success) throw unreachable("the gateway's challenge is malformed");
  const { nonce, gateway_key: gatewayKey, now_ms: gatewayMs } = challenge.data;
  pin.check(gatewayKey);
  const changeMs = gatewayClock.learn(gatewayMs, requestedAtMs);
  if (changeMs !== null) context.onClockChange(changeMs);
  const signedStatement = makeStatement(self, provider.kind, nonce, gatewayKey);
  const evidence = await provider.evidenceFor(hashReportData(signedStatement.statement));
  const sentMs = clock.elapsed();
  const capabilities = await offer.capabilities();
  const body = { ...signedStatement, ...offer, evidence, capabilities };
  const registrationResult = registrationResponse.safeParse(
    await link.post("register", body, { signal }),
  );
  if (!registrationResult.success)
    throw unreachable("the gateway's registration response is malformed");
  const {
    state,
    valid_ms: validMs,
    again_in_ms: againMs,
    lease_wait_ms: leaseWaitMs,
  } = registrationResult.data;
  return {
    state,
    attestationId: hashAttestationId(signedStatement.statement, evidence),
    quoteSha256: quoteDigest(evidence),
    gatewayKey,
    atMs: clock.elapsed(),
    untilMs: sentMs + validMs,
    validMs,
    againMs,
    leaseWaitMs,
  };
}
