import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Release } from "../evidence/release-rules.ts";
import type { Attestation } from "../proof/proof.ts";
import type { AnswerOpener } from "../protocol/sealed-job.ts";
import type { GatewayWork, NodeQueue } from "./context.ts";

/** A job that a run has leased, with what its answer is decrypted with. */
export type OpenLease = {
  readonly run: Run;
  readonly job: string;
  readonly token: string;
  readonly work: GatewayWork;
  /** The text of the request that the answer has to be signed for. */
  readonly request: string;
  readonly opener: AnswerOpener;
  /** By the gateway's clock, Unix milliseconds. */
  readonly sealedMs: number;
  /** The completion in progress; null until an answer comes. */
  completing: Promise<void> | null;
};

/** One run of a node that has attested since this gateway started, known by its keys. */
export type Run = {
  readonly nodeId: string;
  readonly keyId: string;
  readonly signingKey: string;
  readonly sealingKey: string;
  /** When the run attested first, Unix milliseconds; never later than the gateway's clock at its last attestation. */
  connectedMs: number;
  /** The newest last. */
  readonly attestations: Map<string, Attestation>;
  /** Of its last attestation. */
  evidence: EvidenceKind;
  /** Credentials that it may be sent by its last attestation. */
  releases: readonly Release[];
  /** The number of the last challenge that it answered. */
  challenge: number;
  /** When its attestation ends, and when it was last heard of, by the clock's `elapsed`. */
  untilMs: number;
  heardMs: number;
  /** The nonces of its requests, and until when each is remembered. */
  readonly nonces: Map<string, number>;
  /** By token. An entry stays as long as an answer to it is accepted. */
  readonly leases: Map<string, OpenLease>;
  /** Answers that it is sending. */
  sending: number;
  /** Open requests for work, of all methods. */
  polls: number;
  /** Requests for work by method: how many are open, how many were at most, and when the last one ended. */
  readonly demand: Map<string, { open: number; most: number; endedMs: number }>;
  readonly requests: Map<string, Parameters<NodeQueue["lease"]>[0]>;
  /** When jobs were given to it in the last second, the oldest first. */
  givenMs: number[];
  /** Whether a timer waits for the end of that second. */
  isPaced: boolean;
  /** Aborts when its keys are no longer valid: replaced, removed, left. */
  readonly ended: AbortController;
};

/** What an attestation says about a run. */
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

/** Of each node one run at a time: one that attests later replaces the one before, which is not admitted again. */
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

  /** Whether its attestation is valid at this moment. */
  isLive = (run: Run): boolean =>
    this.#byKey.get(run.keyId) === run && run.untilMs > this.#clock.elapsed();

  /** Whether a run of the node that attested later has replaced these keys, or answered a later challenge. */
  isReplaced({
    nodeId,
    keyId,
    challenge,
  }: Pick<AttestedRun, "nodeId" | "keyId" | "challenge">): boolean {
    if (this.#replacedKeys.get(nodeId)?.includes(keyId)) return true;
    const current = this.#byNode.get(nodeId);
    return current !== undefined && current.keyId !== keyId && current.challenge > challenge;
  }

  /** Admits a run, or extends its attestation. `replaced` is the run before. */
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
    // Two attestations may be verified at the same time, and the older one last.
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

/** Shared, as an abort without a reason creates an exception each time. */
const keysEnded = new Error("the keys of the run are no longer valid");
