import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { hashPolicy } from "../evidence/policy.ts";
import type { Attestation } from "../proof/read-proof.ts";
import { enrolmentField, isEnrolmentProof } from "../protocol/enrolment.ts";
import { failedCheckDetail, nodeRefused } from "../protocol/errors.ts";
import { type GatewayResponse, signGatewayResponse } from "../protocol/gateway-response.ts";
import type {
  ChallengeResponse,
  Registration,
  RegistrationResponse,
} from "../protocol/messages.ts";
import type { SignedRequest } from "../protocol/signed-request.ts";
import { gatewayAudience } from "../protocol/statement.ts";
import { challengeMs, leaseWaitMs } from "../settings.ts";
import { authenticateNode } from "./authenticate.ts";
import { createChallenges } from "./challenges.ts";
import { createCompletion } from "./completion.ts";
import type { NodeGatewayContext } from "./context.ts";
import { createDispatch } from "./dispatch.ts";
import { maintainNodes } from "./maintenance.ts";
import type { NodeDirectory } from "./node-directory.ts";
import type { NodeRecord } from "./node-record.ts";
import { admit, refusedNode } from "./registration.ts";
import type { Run, Runs } from "./runs.ts";

export type { NodeView } from "./node-directory.ts";
export type { Run as NodeSession } from "./runs.ts";

const pendingRetryMs = 10_000;

export type NodeGateway = ReturnType<typeof createNodeGateway>;

export function createNodeGateway(directory: NodeDirectory, gatewayContext: NodeGatewayContext) {
  const context = { ...gatewayContext, ...directory };
  const { runs, registry, events, queue, store, clock, log, settings, gatewayKey, policy } =
    context;
  const stopController = new AbortController();
  const challenges = createChallenges(clock);
  let maintenance: Promise<void> = Promise.resolve();

  async function requeueLeases(
    run: Run,
    requeue: (nodeId: string) => Promise<unknown>,
  ): Promise<void> {
    run.leases.clear();
    try {
      await requeue(run.nodeId);
    } catch (error) {
      // The leases expire on their own.
      log.warn({ error: errorMessage(error) }, "failed to requeue a node's jobs");
    }
    queue.wakeNodes();
  }

  async function endRun(run: Run): Promise<void> {
    if (runs.get(run.keyId) !== run) return;
    runs.end(run);
    await requeueLeases(run, queue.endNodeLeases);
  }

  function recordChanges(changedNodes: readonly NodeRecord[]): void {
    for (const { id } of changedNodes) {
      const state = registry.get(id)?.state ?? "deleted";
      log.info({ node: id, state }, "changed a node's state");
      if (state !== "deleted" && state !== "removed") continue;
      events.clearPenalties(id);
      const run = runs.ofNode(id);
      if (run !== undefined) void endRun(run);
    }
    queue.wakeNodes();
  }

  function recordRefusal(nodeId: string | null, address: string, refusal: EarshotError): void {
    events.recordRefusal(nodeId, address, failedCheckDetail(refusal));
    context.onRegistration?.("refused");
  }

  async function recordAdmission(
    record: NodeRecord,
    { run, replacedRun }: ReturnType<Runs["admit"]>,
  ): Promise<void> {
    if (run.attestations.size === 1) {
      events.record(record.id, "admitted", `${record.name} (${record.evidence})`);
    }
    if (replacedRun !== null) {
      events.record(record.id, "replaced", `run ${replacedRun.keyId}`);
      if (
        [...replacedRun.leases.values()].some(({ pendingCompletion }) => pendingCompletion === null)
      ) {
        events.record(record.id, "run_lost");
      }
      await requeueLeases(replacedRun, queue.failNodeLeases);
    }
    queue.wakeNodes();
  }

  async function register(registration: Registration): Promise<RegistrationResponse> {
    const challenge = challenges.use(registration.statement.nonce);
    const admission = await admit(context, registration, challenge);
    const { storedRegistration, nodeId, keyId, validMs } = admission;
    const { record, pendingReason } = storedRegistration;
    const isPending = record.state === "pending";
    if (!isPending) await recordAdmission(record, runs.admit(admission));
    else if (record.createdMs === record.attestedMs) {
      const reason = pendingReason === null ? "" : ` (${pendingReason})`;
      events.record(nodeId, "pending", record.name + reason);
    }
    const state = isPending ? "pending" : "admitted";
    context.onRegistration?.(state);
    const halfMs = Math.floor(validMs / 2);
    return {
      node_id: nodeId,
      key_id: keyId,
      state,
      attestation_id: admission.attestation.id,
      valid_ms: Math.floor(validMs),
      again_in_ms: isPending ? Math.min(pendingRetryMs, halfMs) : halfMs,
      lease_wait_ms: leaseWaitMs,
    };
  }

  return {
    nodes: directory.nodes,
    completion: createCompletion(context),
    dispatch: createDispatch({
      ...context,
      stopSignal: stopController.signal,
      onUnusableKey: (run) => {
        const detail = "key_unusable: the key does not support encryption";
        events.record(run.nodeId, "answer_refused", detail);
        void endRun(run);
      },
    }),

    start: async (): Promise<void> => {
      await registry.refresh();
      maintenance = maintainNodes(
        { ...context, onRefresh: recordChanges, onSilent: (run) => void endRun(run) },
        stopController.signal,
      );
    },

    stop: async (): Promise<void> => {
      stopController.abort();
      await maintenance;
    },

    policy: () => ({
      id: hashPolicy(policy),
      audience: gatewayAudience,
      gateway_key: gatewayKey.publicKey,
      evidence: settings.evidence,
      quotes: policy,
    }),

    signResponse: (response: GatewayResponse): string => signGatewayResponse(response, gatewayKey),

    requireEnrolled: ({ headers }: Pick<SignedRequest, "headers">, address: string): void => {
      const enrolmentProof = headers[enrolmentField] ?? "";
      const input = headers["signature-input"] ?? "";
      if (input !== "" && isEnrolmentProof(enrolmentProof, context.enrolmentToken, input)) return;
      const refusal = nodeRefused(
        "not_enrolled",
        "the request has no proof of the enrolment token",
        "set EARSHOT_NODE_ENROLMENT_TOKEN on the node: print it with earshot nodes enroll on the gateway",
      );
      recordRefusal(null, address, refusal);
      throw refusal;
    },

    challenge: (): ChallengeResponse => ({
      nonce: challenges.open(),
      gateway_key: gatewayKey.publicKey,
      expires_in_ms: challengeMs,
      now_ms: clock.now(),
    }),

    register: async (
      registration: Registration,
      address: string,
    ): Promise<RegistrationResponse> => {
      try {
        return await register(registration);
      } catch (error) {
        if (error instanceof EarshotError && recordedCodes.has(error.code)) {
          recordRefusal(refusedNode(failedCheckDetail(error).code, registration), address, error);
        }
        throw error;
      }
    },

    authenticate: (request: SignedRequest): Run => authenticateNode(request, context),

    /** The node's jobs go to other nodes immediately. */
    leave: async (run: Run): Promise<void> => {
      events.record(run.nodeId, "left", `run ${run.keyId}`);
      await endRun(run);
    },

    attestation: (id: string): Promise<Attestation | null> =>
      store.read("attestation", { id, nowMs: clock.now() }),
  };
}

const recordedCodes: ReadonlySet<string> = new Set(["node_refused", "unavailable"]);
