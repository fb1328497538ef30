import { EarshotError, messageOf } from "../../lib/errors.ts";
import { policyIdOf } from "../evidence/policy.ts";
import type { Attestation } from "../proof/read-proof.ts";
import { enrolmentField, isEnrolmentProof } from "../protocol/enrolment.ts";
import { checkOf, nodeRefused } from "../protocol/errors.ts";
import { type GatewayAnswer, signGatewayAnswer } from "../protocol/gateway-answer.ts";
import type { ChallengeAnswer, Registration, RegistrationAnswer } from "../protocol/messages.ts";
import type { SignedRequest } from "../protocol/signed-request.ts";
import { gatewayAudience } from "../protocol/statement.ts";
import { challengeMs, leaseWaitMs } from "../settings.ts";
import { authenticateNode } from "./authenticate.ts";
import { Challenges } from "./challenges.ts";
import { Completion } from "./completion.ts";
import type { NodeGatewayContext } from "./context.ts";
import { Dispatch } from "./dispatch.ts";
import { maintainNodes } from "./maintenance.ts";
import type { GatewayParts, NodeDirectory } from "./node-directory.ts";
import type { NodeRecord } from "./node-record.ts";
import { admit, refusedNode } from "./registration.ts";
import type { Run, Runs } from "./runs.ts";

export type { NodeView } from "./node-directory.ts";
export type { Run as NodeSession } from "./runs.ts";

const pendingAgainMs = 10_000;

export class NodeGateway {
  readonly dispatch: Dispatch;
  readonly completion: Completion;
  readonly nodes: NodeDirectory["nodes"];
  readonly #context: GatewayParts;
  readonly #stopping = new AbortController();
  readonly #challenges: Challenges;
  #maintenance: Promise<void> = Promise.resolve();

  constructor(directory: NodeDirectory, given: NodeGatewayContext) {
    const context = { ...given, ...directory };
    this.#context = context;
    this.nodes = context.nodes;
    this.#challenges = new Challenges(context.clock);
    this.completion = new Completion(context);
    this.dispatch = new Dispatch({
      ...context,
      stopping: this.#stopping.signal,
      onUnusable: (run) => {
        const detail = "key_unusable: the key does not support encryption";
        context.events.note(run.nodeId, "answer_refused", detail);
        void this.#end(run);
      },
    });
  }

  async start(): Promise<void> {
    await this.#context.known.refresh();
    this.#maintenance = maintainNodes(
      {
        ...this.#context,
        onRefresh: (changed) => this.#noteChanges(changed),
        onSilent: (run) => void this.#end(run),
      },
      this.#stopping.signal,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#maintenance;
  }

  policy() {
    const { settings, gatewayKey, policy } = this.#context;
    return {
      id: policyIdOf(policy),
      audience: gatewayAudience,
      gateway_key: gatewayKey.publicKey,
      evidence: settings.evidence,
      quotes: policy,
    };
  }

  signAnswer(answer: GatewayAnswer): string {
    return signGatewayAnswer(answer, this.#context.gatewayKey);
  }

  requireEnrolled({ headers }: Pick<SignedRequest, "headers">, address: string): void {
    const proof = headers[enrolmentField] ?? "";
    const input = headers["signature-input"] ?? "";
    if (input !== "" && isEnrolmentProof(proof, this.#context.enrolmentToken, input)) return;
    const refusal = nodeRefused(
      "not_enrolled",
      "the request has no proof of the enrolment token",
      "set EARSHOT_NODE_ENROLMENT_TOKEN of the node: print it with earshot nodes enroll on the gateway",
    );
    this.#noteRefusal(null, address, refusal);
    throw refusal;
  }

  challenge(): ChallengeAnswer {
    const { gatewayKey, clock } = this.#context;
    return {
      nonce: this.#challenges.open(),
      gateway_key: gatewayKey.publicKey,
      expires_in_ms: challengeMs,
      now_ms: clock.now(),
    };
  }

  async register(registration: Registration, address: string): Promise<RegistrationAnswer> {
    try {
      return await this.#register(registration);
    } catch (error) {
      if (error instanceof EarshotError && reported.has(error.code)) {
        this.#noteRefusal(refusedNode(checkOf(error).code, registration), address, error);
      }
      throw error;
    }
  }

  async #register(registration: Registration): Promise<RegistrationAnswer> {
    const { runs, events, onRegistration } = this.#context;
    const challenge = this.#challenges.use(registration.statement.nonce);
    const admission = await admit(this.#context, registration, challenge);
    const { stored, nodeId, keyId, validMs } = admission;
    const { record, waitsFor } = stored;
    const isPending = record.state === "pending";
    if (!isPending) await this.#admit(record, runs.admit(admission));
    else if (record.createdMs === record.attestedMs) {
      const reason = waitsFor === null ? "" : ` (${waitsFor})`;
      events.note(nodeId, "pending", record.name + reason);
    }
    const state = isPending ? "pending" : "admitted";
    onRegistration?.(state);
    const halfMs = Math.floor(validMs / 2);
    return {
      node_id: nodeId,
      key_id: keyId,
      state,
      attestation_id: admission.attestation.id,
      valid_ms: Math.floor(validMs),
      again_in_ms: isPending ? Math.min(pendingAgainMs, halfMs) : halfMs,
      lease_wait_ms: leaseWaitMs,
    };
  }

  async #admit(record: NodeRecord, { run, replaced }: ReturnType<Runs["admit"]>): Promise<void> {
    const { events, queue } = this.#context;
    if (run.attestations.size === 1) {
      events.note(record.id, "admitted", `${record.name} (${record.evidence})`);
    }
    if (replaced !== null) {
      events.note(record.id, "replaced", `run ${replaced.keyId}`);
      if ([...replaced.leases.values()].some(({ completing }) => completing === null)) {
        events.note(record.id, "run_lost");
      }
      await this.#takeBack(replaced, queue.failLeasesOf);
    }
    queue.wakeNodes();
  }

  #noteRefusal(nodeId: string | null, address: string, refusal: EarshotError): void {
    this.#context.events.noteRefusal(nodeId, address, checkOf(refusal));
    this.#context.onRegistration?.("refused");
  }

  enter(request: SignedRequest): Run {
    return authenticateNode(request, this.#context);
  }

  /** The jobs of the run are dispatched to other nodes at once. */
  async leave(run: Run): Promise<void> {
    this.#context.events.note(run.nodeId, "left", `run ${run.keyId}`);
    await this.#end(run);
  }

  async attestation(id: string): Promise<Attestation | null> {
    const { store, clock } = this.#context;
    return await store.read("attestation", { id, nowMs: clock.now() });
  }

  #noteChanges(changed: readonly NodeRecord[]): void {
    const { known, runs, events, log, queue } = this.#context;
    for (const { id } of changed) {
      const state = known.get(id)?.state ?? "deleted";
      log.info({ node: id, state }, "changed the state of a node");
      if (state !== "deleted" && state !== "removed") continue;
      events.forgive(id);
      const run = runs.ofNode(id);
      if (run !== undefined) void this.#end(run);
    }
    queue.wakeNodes();
  }

  async #end(run: Run): Promise<void> {
    const { runs, queue } = this.#context;
    if (runs.get(run.keyId) !== run) return;
    runs.end(run);
    await this.#takeBack(run, queue.endLeasesOf);
  }

  async #takeBack(run: Run, take: (nodeId: string) => Promise<unknown>): Promise<void> {
    run.leases.clear();
    try {
      await take(run.nodeId);
    } catch (error) {
      // The leases expire on their own.
      const message = "requeueing the jobs of a node failed";
      this.#context.log.warn({ error: messageOf(error) }, message);
    }
    this.#context.queue.wakeNodes();
  }
}

const reported: ReadonlySet<string> = new Set(["node_refused", "unavailable"]);
