import { EarshotError } from "../../lib/errors.ts";
import type { Attestation } from "../proof/read-proof.ts";
import { decodeBase64Url } from "../protocol/encoding.ts";
import { nodeRefused } from "../protocol/errors.ts";
import { isSignedBy } from "../protocol/keys.ts";
import type { Registration } from "../protocol/messages.ts";
import {
  gatewayAudience,
  hashAttestationId,
  hashKeyId,
  hashNodeId,
  makeIdentityMessage,
} from "../protocol/statement.ts";
import { retentionMs } from "../settings.ts";
import type { GatewayParts } from "./node-directory.ts";
import { oneLine } from "./node-events.ts";
import type { AttestedRun } from "./runs.ts";
import {
  type NodeRegistration,
  runRefused,
  type StoredRegistration,
} from "./stored-registration.ts";

type Admission = AttestedRun & { storedRegistration: StoredRegistration };

/** The cheapest checks come first. */
export async function admit(
  context: GatewayParts,
  registration: Registration,
  challenge: number,
): Promise<Admission> {
  const { settings, verify, clock, store, registry, resultLifetimeMs } = context;
  const { statement, evidence, capabilities, concurrency } = registration;
  checkStatement(context, registration);
  const run = {
    nodeId: hashNodeId(statement.identity_key),
    keyId: hashKeyId(statement),
    challenge,
  };
  checkRun(context, run);
  const { verified, collateral } = await verify(statement, evidence, clock.now()).catch(
    throwRefusal,
  );
  const { facts, image, composeHash } = verified;
  const collateralMs = (facts?.collateralUntilMs ?? Infinity) - clock.now();
  const validMs = Math.min(settings.attestationMs, collateralMs);
  if (validMs <= 0) throw nodeRefused("collateral_outdated", "the collateral has expired");
  const attestation: Attestation = {
    id: hashAttestationId(statement, evidence),
    node_id: run.nodeId,
    key_id: run.keyId,
    name: oneLine(registration.name, "unnamed"),
    statement,
    identity_signature: registration.identity_signature,
    evidence,
    collateral,
    policy_id: verified.policyId,
  };
  const nowMs = clock.now();
  const node: NodeRegistration = {
    id: run.nodeId,
    identityKey: statement.identity_key,
    name: attestation.name,
    evidence: statement.evidence,
    capabilities,
    concurrency,
    version: oneLine(registration.version, "unknown"),
    machine: facts?.platformInstanceId ?? facts?.ppid ?? null,
    image,
    composeHash,
    isListed: verified.isListedPlatform,
    attestation,
    keptUntilMs: nowMs + validMs + resultLifetimeMs + retentionMs,
    nowMs,
  };
  const storedRegistration = await registry.change(async () => {
    const outcome = await store.write("storeRegistration", node);
    // Another run may have attested during the write.
    checkRun(context, run);
    return { ...outcome, record: registry.put(outcome.record) };
  });
  const releases = context.released.allowedBy(verified);
  return { ...run, storedRegistration, attestation, releases, validMs };
}

function checkStatement(
  { settings, gatewayKey }: GatewayParts,
  { statement, identity_signature: signature }: Registration,
): void {
  if (statement.audience !== gatewayAudience) {
    throw nodeRefused("other_audience", "the statement was not made for a gateway");
  }
  if (statement.gateway_key !== gatewayKey.publicKey) {
    throw nodeRefused(
      "other_gateway",
      "the statement names another gateway's key",
      "set EARSHOT_NODE_GATEWAY_KEY: print it with earshot nodes key on the gateway",
    );
  }
  if (!settings.evidence.includes(statement.evidence)) {
    throw nodeRefused(
      "kind_not_accepted",
      `evidence ${statement.evidence} is not accepted`,
      `use ${settings.evidence.join(" or ")}, or set EARSHOT_NODES_EVIDENCE=${[...settings.evidence, statement.evidence].join(",")} on the gateway`,
    );
  }
  if (
    !isSignedBy(
      statement.identity_key,
      makeIdentityMessage(statement),
      decodeBase64Url(signature, 64),
    )
  ) {
    throw nodeRefused("bad_identity_signature", "the statement is not signed by its identity key");
  }
}

/** Refusals before the identity key is proven are not attributed to the named node. */
const unprovenCodes =
  /^(?:challenge_\w+|other_audience|other_gateway|kind_not_accepted|bad_identity_signature)$/;

export const refusedNode = (check: string, { statement }: Registration): string | null =>
  unprovenCodes.test(check) ? null : hashNodeId(statement.identity_key);

function checkRun(
  { registry, runs }: GatewayParts,
  run: Pick<AttestedRun, "nodeId" | "keyId" | "challenge">,
): void {
  if (registry.get(run.nodeId)?.state === "removed") throw runRefused("node_removed");
  const owner = runs.get(run.keyId);
  if (owner !== undefined && owner.nodeId !== run.nodeId) throw runRefused("key_in_use");
  if (runs.isReplaced(run)) throw runRefused("superseded");
}

function throwRefusal(error: unknown): never {
  if (!(error instanceof EarshotError)) throw error;
  const { code, message } = error.details[0] ?? error;
  if (!error.retryable) throw nodeRefused(code, message, error.hint);
  const hint = "retry later";
  const details = [{ code, message, hint }];
  throw new EarshotError("unavailable", message, { status: 503, retryable: true, hint, details });
}
