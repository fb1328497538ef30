import { EarshotError } from "../../lib/errors.ts";
import type { Registration, RegistrationAnswer } from "../protocol/messages.ts";
import { nodeIdOf } from "../protocol/statement.ts";
import { type Admission, admit, checkRun, runRefused } from "./admission.ts";
import type { Challenges } from "./challenges.ts";
import type { NodeGatewayContext } from "./context.ts";
import { checkOf, tooManyAttempts } from "./faults.ts";
import type { KnownNodes } from "./known-nodes.ts";
import { createAttempts } from "./limits.ts";
import type { NodeArrival } from "./node-arrival.ts";
import { type NodeEvents, oneLine } from "./node-events.ts";
import type { NodeRecord } from "./node-store.ts";
import type { Session, Sessions } from "./sessions.ts";

/** Nodes that may wait for approval; the one heard of longest ago goes for one more. */
const maxPending = 100;

/** How soon a node that waits for approval comes again, at most. */
const pendingAgainMs = 10_000;

type RegistrationContext = NodeGatewayContext & {
  known: KnownNodes;
  sessions: Sessions;
  challenges: Challenges;
  events: NodeEvents;
  /** The node may be given work from here on; `replaced` is the run in whose place it came. */
  onAdmitted: (session: Session, replaced: Session | null) => Promise<void>;
};

/** Takes the evidence of nodes and lets those in that are approved. */
export function createRegistrations(
  context: RegistrationContext,
): (registration: Registration, address: string) => Promise<RegistrationAnswer> {
  const { settings, clock, events, known, sessions, store } = context;
  const ofNode = createAttempts(60);
  const unapproved = createAttempts(300);

  /** Counts an attempt: verifying evidence takes a few milliseconds of the event loop. */
  function allow(nodeId: string): void {
    const nowMs = clock.elapsed();
    const isApproved = (known.get(nodeId)?.state ?? "pending") !== "pending";
    if (ofNode.allows(nodeId, nowMs) && (isApproved || unapproved.allows("all", nowMs))) return;
    throw tooManyAttempts("nodes attest too often");
  }

  async function register(registration: Registration): Promise<RegistrationAnswer> {
    const challenge = context.challenges.use(registration.statement.nonce);
    const admission = await admit({ ...context, allow }, registration, challenge);
    const kept = await store.write("keepNode", arrivalOf(context, registration, admission));
    if (kept.refused !== null) throw runRefused(kept.refused);
    const { record, waitsFor } = kept;
    checkRun(context, { ...admission, challenge });
    known.put(withCounts(record, known.get(record.id)));
    return record.state === "pending"
      ? pendingAnswer(record, waitsFor, admission)
      : await admittedAnswer(record, admission, challenge);
  }

  function pendingAnswer(
    record: NodeRecord,
    waitsFor: string | null,
    admission: Admission,
  ): RegistrationAnswer {
    if (record.createdMs === record.seenMs) {
      const why = waitsFor === null ? "" : ` (${waitsFor})`;
      events.note(record.id, "pending", `${record.name}${why}`);
    }
    context.onRegistration?.("pending");
    return answerOf("pending", admission, Math.min(pendingAgainMs, admission.validMs / 2));
  }

  async function admittedAnswer(
    record: NodeRecord,
    admission: Admission,
    challenge: number,
  ): Promise<RegistrationAnswer> {
    const { signing_key: signingKey, sealing_key: sealingKey } = admission.attestation.statement;
    const { session, replaced } = sessions.admit({
      ...admission,
      signingKey,
      sealingKey,
      challenge,
    });
    if (session.attestations.size === 1) {
      events.note(record.id, "admitted", `${record.name} (${record.evidence})`);
    }
    if (replaced !== null) events.note(record.id, "replaced", `run ${replaced.keyId}`);
    await context.onAdmitted(session, replaced);
    context.onRegistration?.("admitted");
    return answerOf("admitted", admission, admission.validMs / 2);
  }

  const answerOf = (
    state: RegistrationAnswer["state"],
    { nodeId, keyId, attestation, validMs }: Admission,
    againMs: number,
  ): RegistrationAnswer => ({
    node_id: nodeId,
    key_id: keyId,
    state,
    attestation_id: attestation.id,
    valid_ms: Math.floor(validMs),
    again_in_ms: Math.floor(againMs),
    lease_wait_ms: settings.leaseWaitMs,
  });

  return async (registration, address) => {
    try {
      return await register(registration);
    } catch (error) {
      const { code, message } = checkOf(error);
      if (error instanceof EarshotError && toldOf.has(error.code)) {
        const nodeId = provenId(code, registration);
        events.noteRefusal({ nodeId, address, code, message });
        context.onRegistration?.("refused");
      }
      throw error;
    }
  };
}

/** What an operator wants to hear of. */
const toldOf: ReadonlySet<string> = new Set(["node_refused", "unavailable"]);

/** Whoever fails one of these has not shown to be the node that the statement names. */
const unproven =
  /^(?:challenge_\w+|other_audience|other_gateway|kind_not_accepted|bad_identity_signature)$/;

const provenId = (code: string, { statement }: Registration): string | null =>
  unproven.test(code) ? null : nodeIdOf(statement.identity_key);

function arrivalOf(
  { settings, resultMs, clock }: NodeGatewayContext,
  registration: Registration,
  { nodeId, verified, attestation, validMs }: Admission,
): NodeArrival {
  const { statement, capabilities, concurrency, url, version } = registration;
  const { facts, composeHash, image, isListedPlatform } = verified;
  const nowMs = clock.now();
  return {
    id: nodeId,
    identityKey: statement.identity_key,
    name: attestation.name,
    evidence: statement.evidence,
    capabilities,
    concurrency,
    url,
    version: oneLine(version, "unknown"),
    machine: facts?.platformInstanceId ?? facts?.ppid ?? null,
    image,
    composeHash,
    isListed: isListedPlatform,
    attestation,
    keptUntilMs: nowMs + validMs + resultMs + settings.memoryMs,
    nowMs,
    maxPending,
  };
}

/** Memory may be ahead of the store in what a node has done. */
const withCounts = (record: NodeRecord, held: NodeRecord | undefined): NodeRecord => ({
  ...record,
  jobsDone: Math.max(record.jobsDone, held?.jobsDone ?? 0),
  jobsFailed: Math.max(record.jobsFailed, held?.jobsFailed ?? 0),
});
