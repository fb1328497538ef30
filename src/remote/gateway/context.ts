import type { LeaseGateway } from "../../jobs/leases/lease.ts";
import type { EvidenceKind, ResultSignature } from "../../jobs/result-signature.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import type { NodePolicy } from "../evidence/policy.ts";
import type { EvidenceVerifier } from "../evidence/verify-evidence.ts";
import type { SigningKey } from "../protocol/keys.ts";

export type GatewayWork = AnswerRequest & {
  isLocalOnly?: true;
};

export type SignedAnswer = SourceAnswer & { signature: ResultSignature };

export type NodeQueue = LeaseGateway<GatewayWork, SignedAnswer> & {
  wakeNodes(): void;
  /** For an undelivered lease; the attempt is not counted. */
  returnJob(uuid: string, token: string): Promise<void>;
  /** For a node that has left; attempts are not counted. */
  endNodeLeases(nodeId: string): Promise<unknown>;
  /** For a node that has restarted without leaving; attempts are counted. */
  failNodeLeases(nodeId: string): Promise<void>;
};

export type NodeGatewayContext = {
  /** Maximum lifetime of a job and its result; attestations are stored that much longer. */
  resultLifetimeMs: number;
  queue: NodeQueue;
  verify: EvidenceVerifier;
  policy: NodePolicy | null;
  /** Checked before anything else in a registration is read (protocol/enrolment.ts). */
  enrolmentToken: string;
  gatewayKey: SigningKey;
  onDispatch?: (evidence: EvidenceKind) => void;
  onRefusedAnswer?: (code: string) => void;
  onRegistration?: (outcome: "admitted" | "pending" | "refused") => void;
};

export type NodeLog = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
};
