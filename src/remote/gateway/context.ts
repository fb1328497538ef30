import type { Store } from "../../db/operations.ts";
import type { LeaseGateway } from "../../jobs/lease.ts";
import type { EvidenceKind, ResultSignature } from "../../jobs/result-signature.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import type { Work } from "../capability.ts";
import type { EvidenceVerifier } from "../evidence/verify-evidence.ts";
import type { SigningKey } from "../protocol/keys.ts";
import type { GatewaySettings } from "../settings.ts";
import type { NodeOperations } from "./operations.ts";
import type { ReleaseSource } from "./releases.ts";

/** A job as nodes receive it. */
export type GatewayWork = AnswerRequest & {
  /** It needs credentials that stay in the gateway's process: no remote node is given it. */
  isKeptHere?: true;
};

/** An answer that a node has signed. */
export type SignedAnswer = SourceAnswer & { signature: ResultSignature };

/** The queue as the gateway of nodes uses it. */
export type NodeQueue = LeaseGateway<GatewayWork, SignedAnswer> & {
  /** Checks again which waiting node may be given what. */
  wakeNodes(): void;
  /** A job that never reached its node goes to others at once, and no attempt is counted. */
  giveBack(uuid: string, token: string): Promise<void>;
  /** What a node has leased goes to others at once, and no attempt is counted. */
  endLeasesOf(nodeId: string): Promise<unknown>;
  /** What a node had leased that restarted without leaving goes to others, and the attempt counts. */
  failLeasesOf(nodeId: string): Promise<void>;
  /** Jobs that a node runs; one counts from the moment it is given. */
  runningOf(nodeId: string): number;
};

/** What the gateway of nodes needs of its surroundings. */
export type NodeGatewayContext = {
  settings: GatewaySettings;
  /** Longest life of a job and of its result together: so long after it has ended an attestation may be requested. */
  resultMs: number;
  store: Store<NodeOperations>;
  queue: NodeQueue;
  verifier: EvidenceVerifier;
  /** The policy file as anyone may read it; null without one. */
  policy: Readonly<Record<string, unknown>> | null;
  /** What a node has to show before anything of it is read (protocol/enrolment.ts). */
  enrolmentToken: string;
  gatewayKey: SigningKey;
  clock: Clock;
  randomBytes: RandomBytes;
  randomUuid: () => string;
  log: NodeLog;
  /** How far the node in this process gets with it (`reachOf`); 0 where it leaves the work to others. */
  embeddedReach: (work: Work) => number;
  /** Credentials that may be released to nodes; none where it is left out. */
  releases?: ReleaseSource;
  onDispatch?: (evidence: EvidenceKind) => void;
  onRefusedAnswer?: (code: string) => void;
  onRegistration?: (outcome: "admitted" | "pending" | "refused") => void;
};

export type NodeLog = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
};
