import type { Logger } from "pino";
import type { EvidenceKind, SignedFields } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import type { Proof } from "../../remote/proof/proof.ts";
import type { IntrospectAnswer } from "../../remote/protocol/messages.ts";
import type { ShownAnswer } from "../../remote/worker/answers.ts";
import type { CallerAttestation } from "../../remote/worker/attestations.ts";
import type { BaseAppContext } from "../base-app.ts";

/** A search that a client asked the node for itself. Times are Unix milliseconds. */
export type DirectSearch = {
  uuid: string;
  request: AnswerRequest;
  deadlineMs: number;
  signal: AbortSignal;
};

/** What the app of a node that listens needs; made in server/node-app.ts. */
export type NodeAppContext = {
  settings: BaseAppContext["settings"] & {
    /** The key of requests that bring none; null keeps them out. */
    openNodeKey: string | null;
    failedKeysPerMinute: number;
    attestationsPerMinute: number;
    maxLiveQueryLength: number;
    liveWindowMs: number;
    /** How long a search may take. */
    deadlineMs: number;
    /** Searches of clients that run at the same time. */
    concurrency: number;
  };
  clock: Clock;
  log: Pick<Logger, "info" | "warn" | "error">;
  newId(): string;
  node: { id: string; evidence: EvidenceKind };
  /** The gateway's clock, Unix milliseconds. */
  nowMs(): number;
  /** Errors: `gateway_unreachable`, and those of the gateway. */
  introspect(keyId: string, secretSha256: string): Promise<IntrospectAnswer>;
  answer(search: DirectSearch): Promise<ShownAnswer>;
  /** The fields that sign a body. Errors: `gateway_unreachable` while the gateway has taken no attestation. */
  sign(
    search: Pick<DirectSearch, "uuid" | "request">,
    answer: ShownAnswer,
    body: string,
  ): SignedFields;
  /** The answer as a proof. Errors: as of `sign`, also where the gateway does not give the node's attestation. */
  prove(search: Pick<DirectSearch, "uuid" | "request">, answer: ShownAnswer): Promise<Proof>;
  /** Errors: `evidence_unavailable`, and `gateway_unreachable` before the gateway was heard of first. */
  attest(nonce: string): Promise<CallerAttestation>;
  /** How it stands with its gateway, and whether it can let clients in. */
  status(): { state: string; isAttested: boolean };
};
