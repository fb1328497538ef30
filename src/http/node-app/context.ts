import type { Logger } from "pino";
import type { EvidenceKind, SignedFields } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import type { Proof } from "../../remote/proof/read-proof.ts";
import type { IntrospectAnswer } from "../../remote/protocol/messages.ts";
import type { CallerAttestation } from "../../remote/worker/attestations.ts";
import type { ShownAnswer } from "../../search/with-records.ts";
import type { BaseAppContext } from "../base-app.ts";

/** A client's search at the node. */
export type DirectSearch = {
  uuid: string;
  request: AnswerRequest;
  deadlineMs: number;
  signal: AbortSignal;
};

/** Created in server/node-app.ts. */
export type NodeAppContext = {
  settings: BaseAppContext["settings"] & {
    /** For requests without a key; null refuses them. */
    openNodeKey: string | null;
    failedKeysPerMinute: number;
    attestationsPerMinute: number;
    maxLiveQueryLength: number;
    liveWindowMs: number;
    deadlineMs: number;
    concurrency: number;
  };
  clock: Clock;
  log: Pick<Logger, "info" | "warn" | "error">;
  newId(): string;
  node: { id: string; evidence: EvidenceKind };
  /** The gateway's clock. */
  nowMs(): number;
  /** Errors: `gateway_unreachable`, and those of the gateway. */
  introspect(keyId: string, secretSha256: string): Promise<IntrospectAnswer>;
  answer(search: DirectSearch): Promise<ShownAnswer>;
  /** Errors: `gateway_unreachable` until the gateway accepts an attestation. */
  sign(
    search: Pick<DirectSearch, "uuid" | "request">,
    answer: ShownAnswer,
    body: string,
  ): SignedFields;
  /** Errors: those of `sign`, also if the gateway does not return the attestation. */
  prove(search: Pick<DirectSearch, "uuid" | "request">, answer: ShownAnswer): Promise<Proof>;
  /** Errors: `evidence_unavailable`, and `gateway_unreachable` before first contact. */
  attest(nonce: string): Promise<CallerAttestation>;
  /** `isAttested`: can authenticate clients. */
  status(): { state: string; isAttested: boolean };
};
