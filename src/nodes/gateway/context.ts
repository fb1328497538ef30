import type { Store } from "../../db/operations.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import type { Work } from "../capability.ts";
import type { EvidenceKind } from "../evidence/evidence.ts";
import type { EvidenceVerifier } from "../evidence/verify-evidence.ts";
import type { LeaseGateway } from "../lease.ts";
import type { GatewaySettings } from "../settings.ts";
import type { SignedAnswer } from "./gateway.ts";
import type { NodeOperations } from "./operations.ts";

/** A job as nodes are handed it. */
export type GatewayWork = AnswerRequest & {
  /** It needs credentials that stay in the gateway's process: no remote node is given it. */
  isKeptHere?: true;
};

/** The queue as the gateway of nodes uses it. */
export type NodeQueue = LeaseGateway<GatewayWork, SignedAnswer> & {
  /** Looks again which waiting node may be given what. */
  wakeNodes(): void;
  /** A job that its node was never handed goes to others at once, and no attempt is counted. */
  giveBack(uuid: string, token: string): Promise<void>;
  /** What a node holds goes to others at once, and no attempt is counted. */
  endLeasesOf(nodeId: string): Promise<unknown>;
  /** What a node held that was started anew without a word goes to others, and the attempt counts. */
  failLeasesOf(nodeId: string): Promise<void>;
  /** Jobs that a node runs; one counts from the moment it is given. */
  runningOf(nodeId: string): number;
};

type RegistrationOutcome = "admitted" | "pending" | "refused";

/** What the gateway of nodes needs of its surroundings. */
export type NodeGatewayContext = {
  settings: GatewaySettings;
  /** Longest life of a job and of its result together: so long after it has ended an attestation may be asked for. */
  resultMs: number;
  store: Store<NodeOperations>;
  queue: NodeQueue;
  verifier: EvidenceVerifier;
  /** The policy file as everyone may read it; null without one. */
  policy: Readonly<Record<string, unknown>> | null;
  /** What nodes show to be heard at all (protocol/enrolment.ts). */
  enrolmentToken: string;
  gatewayKey: { publicKey: string; sign(message: Uint8Array): Uint8Array };
  clock: Clock;
  randomBytes: RandomBytes;
  randomUuid: () => string;
  log: NodeLog;
  /** What counts as one address. */
  groupOf: (address: string) => string;
  /** How far the node in this process gets with it (`reachOf`); 0 where it leaves the work to others. */
  embeddedReach: (work: Work) => number;
  onDispatch?: (evidence: EvidenceKind) => void;
  onRefusedAnswer?: (code: string) => void;
  onRegistration?: (outcome: RegistrationOutcome) => void;
};

export type NodeLog = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
};
