import { fieldsOf } from "../../platforms/fields.ts";
import { bytesOf } from "../protocol/encoding.ts";
import { isSignedBy, isSigningKey } from "../protocol/keys.ts";
import { quoteDigestOf, type SignedResult } from "../protocol/signed-result.ts";
import {
  attestationIdOf,
  callerAudience,
  identityMessageOf,
  jobOfNonce,
  keyIdOf,
  nodeIdOf,
} from "../protocol/statement.ts";
import type { Proof } from "./proof.ts";
import { proofRefused } from "./read-proof.ts";

/** What the caller knows already and the proof has to agree with; what is absent is not compared. */
export type ExpectedOfProof = {
  /** The uuid of the job. */
  job?: string;
  /** What the caller sent along when it asked a node itself. */
  nonce?: string;
  /** The body that the caller was given, as it came. */
  body?: Uint8Array;
  /** The query that the caller asked. */
  query?: string;
  /** The key and the name of the gateway that the caller trusts nodes to have worked for. */
  gatewayKey?: string;
  audience?: string;
  /** Unix milliseconds: the signature has to be of then or later. */
  signedAfterMs?: number;
  /** The window that the caller asked for, Unix milliseconds. */
  fromMs?: number;
  toMs?: number;
  /** The caller asked without a cursor: nothing that comes before may have been left out. */
  isFirstPage?: true;
};

/** How far clocks may differ. */
export const skewMs = 60_000;

/**
 * Whether what is named is called what its content makes, and the statement was made for a gateway. Errors: `proof_refused` with
 * `node_id`, `key_id`, `attestation_id` or `made_for_callers`.
 */
export function checkNames({ attestation }: Proof): void {
  const { statement, evidence } = attestation;
  if (attestation.node_id !== nodeIdOf(statement.identity_key)) {
    throw proofRefused("node_id", "the node has another id than its identity key makes");
  }
  if (attestation.key_id !== keyIdOf(statement)) {
    throw proofRefused("key_id", "the keys have another id than they make");
  }
  if (attestation.id !== attestationIdOf(statement, evidence)) {
    throw proofRefused("attestation_id", "the attestation has another id than its content makes");
  }
  if (statement.audience === callerAudience) {
    throw proofRefused("made_for_callers", "the statement was made for callers, not for a gateway");
  }
}

/** Whether the identity has signed the statement. Errors: `proof_refused` with `key_unusable` or `identity_signature`. */
export function checkIdentity({ attestation }: Proof): void {
  const { statement, identity_signature: written } = attestation;
  const keys = [statement.identity_key, statement.signing_key, statement.gateway_key];
  if (!keys.every(isSigningKey) || bytesOf(statement.sealing_key, 32) === null) {
    throw proofRefused("key_unusable", "a key of the statement is none that can be relied on");
  }
  const signature = bytesOf(written, 64);
  const message = identityMessageOf(statement);
  if (signature === null || !isSignedBy(statement.identity_key, message, signature)) {
    throw proofRefused("identity_signature", "the identity key has not signed this statement");
  }
}

/**
 * Whether what was signed is of this job and this attestation. Errors: `proof_refused` with `other_key`, `other_job`, `other_evidence`, `other_attestation` or `other_quote`.
 */
export function checkBinding({ job, attestation }: Proof, signed: SignedResult): void {
  const { statement, evidence } = attestation;
  if (signed.keyId !== keyIdOf(statement)) {
    throw proofRefused("other_key", "the signature names other keys than those of the attestation");
  }
  if (signed.job !== job) {
    throw proofRefused("other_job", `the signature is of the job ${signed.job}, not of ${job}`);
  }
  if (signed.evidence !== statement.evidence) {
    throw proofRefused(
      "other_evidence",
      `signed with evidence of the kind ${signed.evidence}, and the attestation is ${statement.evidence}`,
    );
  }
  if (signed.attestationId !== attestationIdOf(statement, evidence)) {
    throw proofRefused("other_attestation", "the signature names another attestation");
  }
  if (hexOf(signed.quoteSha256) !== hexOf(quoteDigestOf(evidence))) {
    throw proofRefused("other_quote", "the signature names another quote");
  }
}

const hexOf = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString("hex");

/** Errors: `proof_refused` with `signed_in_future`. */
export function checkTime({ signedAtMs }: SignedResult, nowMs: number): void {
  if (signedAtMs > nowMs + skewMs) {
    throw proofRefused("signed_in_future", "the signature is of a time that has not come");
  }
}

/**
 * Whether the proof agrees with what the caller knows. Errors: `proof_refused` with `not_the_job`, `not_the_nonce`, `not_the_result`, `not_the_query`, `not_the_window`,
 * `not_the_first_page`, `not_the_gateway`, `not_the_audience` or `signed_too_early`.
 */
export function checkExpected(
  { job, body, request, attestation }: Proof,
  signed: SignedResult | null,
  expected: ExpectedOfProof,
): void {
  const { statement } = attestation;
  if (expected.job !== undefined && expected.job !== job) {
    throw proofRefused("not_the_job", `the proof is of the job ${job}`);
  }
  if (expected.nonce !== undefined && jobOfNonce(expected.nonce) !== job) {
    throw proofRefused(
      "not_the_nonce",
      "the answer is to another question than the one with this nonce",
    );
  }
  if (expected.body !== undefined && !Buffer.from(body, "utf8").equals(expected.body)) {
    throw proofRefused(
      "not_the_result",
      "the result that was given is not the one that was signed",
    );
  }
  checkAsked(request, expected);
  if (expected.gatewayKey !== undefined && expected.gatewayKey !== statement.gateway_key) {
    throw proofRefused("not_the_gateway", "the node worked for a gateway with another key");
  }
  if (expected.audience !== undefined && expected.audience !== statement.audience) {
    throw proofRefused("not_the_audience", "the node worked for a gateway of another name");
  }
  const { signedAfterMs } = expected;
  if (signedAfterMs !== undefined && (signed === null || signed.signedAtMs < signedAfterMs)) {
    throw proofRefused("signed_too_early", "the signature is older than what was asked for");
  }
}

function checkAsked(request: string, expected: ExpectedOfProof): void {
  const { query, fromMs, toMs, isFirstPage } = expected;
  const asked = membersOf(request);
  if (query !== undefined && asked.query !== query) {
    throw proofRefused("not_the_query", "another query was asked than the one that was given");
  }
  const isOther =
    (fromMs !== undefined && asked.fromMs !== fromMs) ||
    (toMs !== undefined && asked.toMs !== toMs);
  if (isOther) {
    throw proofRefused(
      "not_the_window",
      "another window was asked for than the one that was given",
    );
  }
  if (isFirstPage !== undefined && !isFirstPageOf(asked)) {
    throw proofRefused("not_the_first_page", "a further page was asked for, not the first");
  }
}

type Members = Readonly<Record<string, unknown>>;

const isFirstPageOf = ({ after, place }: Members): boolean => after === null && place === null;

/** The members of a request; none where it is no JSON, which another check tells. */
function membersOf(request: string): Members {
  try {
    return fieldsOf(JSON.parse(request));
  } catch {
    return {};
  }
}
