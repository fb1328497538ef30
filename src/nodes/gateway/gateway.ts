import type { Method } from "../../platforms/methods.ts";
import type { SourceAnswer } from "../../platforms/source.ts";
import type { Capability } from "../capability.ts";
import type { EvidenceKind } from "../evidence/evidence.ts";
import type { Attestation, ResultSignature } from "../proof/proof.ts";
import type { GatewayAnswer } from "../protocol/gateway-answer.ts";
import type {
  ChallengeAnswer,
  JobEnvelope,
  LeaseBody,
  Registration,
  RegistrationAnswer,
  SealedAnswer,
} from "../protocol/messages.ts";
import type { NodeState } from "./node-store.ts";

/** An answer that a node has signed. */
export type SignedAnswer = SourceAnswer & { signature: ResultSignature };

/** A request as its signature covers it (RFC 9421). */
export type SignedRequest = {
  method: string;
  /** The path with its query. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  /** The body as it came; null where it is not read yet, and its digest not compared. */
  body: Uint8Array | null;
};

/** A node that has attested since the gateway started, by the keys of its run. */
export type NodeSession = { nodeId: string; keyId: string };

/** A node as others are told of it. Times are Unix milliseconds. */
export type NodeView = {
  id: string;
  name: string;
  /** Null of the node in the gateway's own process. */
  keyId: string | null;
  evidence: EvidenceKind;
  state: NodeState | "quarantined";
  /** Whether it is attested and was heard of lately. */
  isConnected: boolean;
  capabilities: readonly Capability[];
  /** Methods that it is there for: it asks for work of them, has asked just now, or runs all that it can. */
  takes: readonly Method[];
  concurrency: number;
  running: number;
  url: string | null;
  version: string;
  attestationId: string | null;
  attestedMs: number | null;
  /** Since when the keys of its run are known to this gateway; null while it is not connected. */
  connectedMs: number | null;
  seenMs: number | null;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  jobsDone: number;
  jobsFailed: number;
};

/** What this gateway asks of nodes, for everyone to read. */
type PublishedPolicy = {
  id: string;
  audience: string;
  gateway_key: string;
  evidence: readonly EvidenceKind[];
  /** The policy file as it is in force; null without one. */
  quotes: Readonly<Record<string, unknown>> | null;
};

/**
 * The gateway's side of remote nodes: it hands work to those alone that have attested, each job sealed to the keys that were
 * attested, and takes answers that those keys have signed. What it knows of the keys of a run is in memory: after a restart all
 * nodes attest again.
 */
export type NodeGateway = {
  policy(): PublishedPolicy;
  /** Vouches for an answer to a node, with the gateway's key; base64url. */
  signAnswer(answer: GatewayAnswer): string;
  /** Whether a challenge or registration comes from a node with the enrolment token. Errors: `node_refused`, `not_enrolled`. */
  requireEnrolled(request: Pick<SignedRequest, "headers">, address: string): void;
  /** Errors: `too_many_attempts`. */
  challenge(address: string): ChallengeAnswer;
  /** Errors: `node_refused`, with the check that failed in its details; `too_many_attempts` of the node. */
  register(registration: Registration, address: string): Promise<RegistrationAnswer>;
  /**
   * Who has signed a request. Errors: `node_unauthorized`, with `unknown_key`, `attestation_ended`, `bad_signature`,
   * `clock_skew`, `before_attestation` or `replayed` in its details.
   */
  enter(request: SignedRequest): NodeSession;
  /** Null when no job came in time, and for a node that gets none: pending, draining, quarantined. */
  lease(session: NodeSession, asked: LeaseBody, signal: AbortSignal): Promise<JobEnvelope | null>;
  /** How long the lease holds from here on. Errors: `lease_lost`. */
  renew(session: NodeSession, job: string, token: string): Promise<number>;
  /**
   * A run begins to send an answer, before anything of it is read; to be called is what comes back when it has been sent or cut
   * off. Errors: `lease_lost` for a run that sends each of its jobs' answers twice already, or holds no job.
   */
  beginAnswer(session: NodeSession): () => void;
  /** Errors: `lease_lost`; `node_answer_refused`, with what is wrong in its details: the job runs again then. */
  complete(session: NodeSession, answer: SealedAnswer): Promise<void>;
  fail(session: NodeSession, answer: SealedAnswer): Promise<void>;
  /** The node stops: what it still holds goes to others at once. */
  leave(session: NodeSession): Promise<void>;
  /** The remote nodes that are known, but for removed ones; the oldest first. */
  nodes(): readonly NodeView[];
  /** What the keys of a run were attested with; null when it is not known, or not kept any more. */
  attestation(id: string): Promise<Attestation | null>;
  /** Reads what earlier runs know, then keeps watch: over nodes that an operator changed, and what is kept long enough. */
  start(): Promise<void>;
  stop(): Promise<void>;
};
