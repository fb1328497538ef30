import { EarshotError, messageOf } from "../../lib/errors.ts";
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
import type { NodeDirectory } from "./node-directory.ts";
import type { NodeRecord } from "./node-record.ts";
import type { NodeView } from "./node-views.ts";
import { admit, refusedNode } from "./registration.ts";
import type { Run, Runs } from "./runs.ts";

export type { NodeView } from "./node-views.ts";
export type { Run as NodeSession } from "./runs.ts";

const pendingAgainMs = 10_000;

export class NodeGateway {
  readonly dispatch: Dispatch;
  readonly completion: Completion;
  readonly #context: NodeGatewayContext;
  readonly #stopping = new AbortController();
  readonly #directory: NodeDirectory;
  readonly #challenges: Challenges;
  #maintenance: Promise<void> = Promise.resolve();

  constructor(directory: NodeDirectory, context: NodeGatewayContext) {
    const { known, runs, events, failures, released, eligibility } = directory;
    this.#context = context;
    this.#directory = directory;
    this.#challenges = new Challenges(context);
    this.completion = new Completion({ ...context, known, runs, events, failures });
    this.dispatch = new Dispatch({
      ...context,
      known,
      runs,
      eligibility,
      released,
      stopping: this.#stopping.signal,
      onUnusable: (run) => {
        const detail = "key_unusable: the key does not support encryption";
        events.note(run.nodeId, "answer_refused", detail);
        void this.#end(run);
      },
    });
  }

  async start(): Promise<void> {
    const { known, runs, events } = this.#directory;
    await known.refresh();
    this.#maintenance = maintainNodes(
      {
        ...this.#context,
        ...{ known, runs, events },
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
    const { verifier, settings, gatewayKey, policy } = this.#context;
    return {
      id: verifier.policyId,
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
    const { known, runs, released } = this.#directory;
    const context = { ...this.#context, known, runs, released };
    const challenge = this.#challenges.use(registration.statement.nonce);
    const admission = await admit(context, registration, challenge);
    const { stored, nodeId, keyId, validMs } = admission;
    const { record, waitsFor } = stored;
    const isPending = record.state === "pending";
    if (!isPending) await this.#admit(record, this.#directory.runs.admit(admission));
    else if (record.createdMs === record.attestedMs) {
      this.#directory.events.note(
        nodeId,
        "pending",
        record.name + (waitsFor === null ? "" : ` (${waitsFor})`),
      );
    }
    const state = isPending ? "pending" : "admitted";
    this.#context.onRegistration?.(state);
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
    if (run.attestations.size === 1) {
      this.#directory.events.note(record.id, "admitted", `${record.name} (${record.evidence})`);
    }
    if (replaced !== null) {
      this.#directory.events.note(record.id, "replaced", `run ${replaced.keyId}`);
      if ([...replaced.leases.values()].some(({ completing }) => completing === null)) {
        this.#directory.events.note(record.id, "run_lost");
      }
      await this.#takeBack(replaced, this.#context.queue.failLeasesOf);
    }
    this.#context.queue.wakeNodes();
  }

  #noteRefusal(nodeId: string | null, address: string, refusal: EarshotError): void {
    this.#directory.events.noteRefusal(nodeId, address, checkOf(refusal));
    this.#context.onRegistration?.("refused");
  }

  enter(request: SignedRequest): Run {
    return authenticateNode(request, { runs: this.#directory.runs, clock: this.#context.clock });
  }

  /** The jobs of the run are dispatched to other nodes at once. */
  async leave(run: Run): Promise<void> {
    this.#directory.events.note(run.nodeId, "left", `run ${run.keyId}`);
    await this.#end(run);
  }

  nodes(): readonly NodeView[] {
    return this.#directory.nodes();
  }

  async attestation(id: string): Promise<Attestation | null> {
    const { store, clock } = this.#context;
    return await store.read("attestation", { id, nowMs: clock.now() });
  }

  #noteChanges(changed: readonly NodeRecord[]): void {
    for (const { id } of changed) {
      const state = this.#directory.known.get(id)?.state ?? "deleted";
      this.#context.log.info({ node: id, state }, "changed the state of a node");
      if (state !== "deleted" && state !== "removed") continue;
      this.#directory.events.forgive(id);
      const run = this.#directory.runs.ofNode(id);
      if (run !== undefined) void this.#end(run);
    }
    this.#context.queue.wakeNodes();
  }

  async #end(run: Run): Promise<void> {
    if (this.#directory.runs.get(run.keyId) !== run) return;
    this.#directory.runs.end(run);
    await this.#takeBack(run, this.#context.queue.endLeasesOf);
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
