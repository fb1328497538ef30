import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Release } from "../evidence/release-rules.ts";
import type { Attestation } from "../proof/proof.ts";
import type { AnswerOpener } from "../protocol/encrypted-job.ts";
import type { GatewayWork, NodeQueue } from "./context.ts";

export type OpenLease = {
  readonly run: Run;
  readonly job: string;
  readonly token: string;
  readonly work: GatewayWork;
  /** Text that the answer's signature must cover. */
  readonly request: string;
  readonly opener: AnswerOpener;
  /** Encryption of the job, Unix milliseconds. */
  readonly sealedMs: number;
  /** The completion in progress. */
  completing: Promise<void> | null;
};

/** A run that attested since the gateway started, identified by its keys. */
export type Run = {
  readonly nodeId: string;
  readonly keyId: string;
  readonly signingKey: string;
  readonly sealingKey: string;
  /** Unix milliseconds of the first attestation; never later than the clock at the last one. */
  connectedMs: number;
  /** Newest last. */
  readonly attestations: Map<string, Attestation>;
  /** Of its last attestation. */
  evidence: EvidenceKind;
  /** By its last attestation. */
  releases: readonly Release[];
  /** Last challenge that it answered. */
  challenge: number;
  /** End of the attestation and last activity, on the clock's `elapsed` scale. */
  untilMs: number;
  heardMs: number;
  /** Nonces of its requests, with expiry. */
  readonly nonces: Map<string, number>;
  /** By token; removed once no answer is accepted. */
  readonly leases: Map<string, OpenLease>;
  /** Answers being uploaded. */
  sending: number;
  /** Open lease requests. */
  polls: number;
  /** Lease requests by method; `endedMs` is the last change. */
  readonly demand: Map<string, { open: number; most: number; endedMs: number }>;
  readonly requests: Map<string, Parameters<NodeQueue["lease"]>[0]>;
  /** Last second's dispatches, oldest first. */
  givenMs: number[];
  /** A timer waits for the end of that second. */
  isPaced: boolean;
  /** Aborts when the run is replaced, removed or leaves. */
  readonly ended: AbortController;
};

export type AttestedRun = {
  nodeId: string;
  keyId: string;
  attestation: Attestation;
  releases: readonly Release[];
  challenge: number;
  validMs: number;
};

const mostAttestations = 16;
const mostReplaced = 32;

/** One run per node: a later one replaces it, and its keys are not admitted again. */
export class Runs {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Run>();
  readonly #byNode = new Map<string, Run>();
  readonly #replacedKeys = new Map<string, string[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get = (keyId: string): Run | undefined => this.#byKey.get(keyId);
  ofNode = (nodeId: string): Run | undefined => this.#byNode.get(nodeId);
  all = (): Iterable<Run> => this.#byKey.values();

  /** The attestation is valid now. */
  isLive = (run: Run): boolean =>
    this.#byKey.get(run.keyId) === run && run.untilMs > this.#clock.elapsed();

  /** The keys were replaced, or another run answered a later challenge. */
  isReplaced({
    nodeId,
    keyId,
    challenge,
  }: Pick<AttestedRun, "nodeId" | "keyId" | "challenge">): boolean {
    if (this.#replacedKeys.get(nodeId)?.includes(keyId)) return true;
    const current = this.#byNode.get(nodeId);
    return current !== undefined && current.keyId !== keyId && current.challenge > challenge;
  }

  /** `replaced` is the run before, if any. */
  admit(attested: AttestedRun): { run: Run; replaced: Run | null } {
    const before = this.#byNode.get(attested.nodeId) ?? null;
    const isSame = before?.keyId === attested.keyId;
    if (before !== null && !isSame) this.#replace(before);
    const run = isSame ? before : newRun(attested, this.#clock.now());
    this.#byKey.set(run.keyId, run);
    this.#byNode.set(run.nodeId, run);
    this.#extend(run, attested);
    return { run, replaced: isSame ? null : before };
  }

  end(run: Run): void {
    if (this.#byKey.get(run.keyId) === run) this.#byKey.delete(run.keyId);
    if (this.#byNode.get(run.nodeId) === run) this.#byNode.delete(run.nodeId);
    run.ended.abort(keysEnded);
  }

  #replace(run: Run): void {
    const keys = this.#replacedKeys.get(run.nodeId) ?? [];
    this.#replacedKeys.set(run.nodeId, [...keys, run.keyId].slice(-mostReplaced));
    this.end(run);
  }

  #extend(run: Run, { attestation, releases, validMs, challenge }: AttestedRun): void {
    run.attestations.set(attestation.id, attestation);
    const [oldest = ""] = run.attestations.keys();
    if (run.attestations.size > mostAttestations) run.attestations.delete(oldest);
    run.evidence = attestation.statement.evidence;
    run.releases = releases;
    run.connectedMs = Math.min(run.connectedMs, this.#clock.now());
    // Concurrent verifications may finish out of order.
    run.challenge = Math.max(run.challenge, challenge);
    run.untilMs = Math.max(run.untilMs, this.#clock.elapsed() + validMs);
    run.heardMs = this.#clock.elapsed();
  }
}

const newRun = (
  { nodeId, keyId, attestation: { statement }, challenge }: AttestedRun,
  nowMs: number,
): Run => ({
  nodeId,
  keyId,
  signingKey: statement.signing_key,
  sealingKey: statement.sealing_key,
  connectedMs: nowMs,
  attestations: new Map(),
  evidence: statement.evidence,
  releases: [],
  challenge,
  untilMs: 0,
  heardMs: 0,
  nonces: new Map(),
  leases: new Map(),
  sending: 0,
  polls: 0,
  demand: new Map(),
  requests: new Map(),
  givenMs: [],
  isPaced: false,
  ended: new AbortController(),
});

/** Shared, because `abort` without a reason creates an exception each time. */
const keysEnded = new Error("the keys of the run are no longer valid");
