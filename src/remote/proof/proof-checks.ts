import { asFields } from "../../platforms/fields.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";
import { checkAnswer } from "../protocol/check-answer.ts";
import { decodeBase64Url } from "../protocol/encoding.ts";
import { proofRefused } from "../protocol/errors.ts";
import { isSignedBy, isSigningKey } from "../protocol/keys.ts";
import { type ParsedRecord, readRecord } from "../protocol/read-record.ts";
import { requireBinding, type SignedResult } from "../protocol/signed-result.ts";
import {
  gatewayAudience,
  hashAttestationId,
  hashKeyId,
  hashNodeId,
  makeIdentityMessage,
} from "../protocol/statement.ts";
import { readKnowledge, readRequest } from "../protocol/texts.ts";
import type { Proof } from "./read-proof.ts";

export type ExpectedProof = {
  job?: string;
  body?: Uint8Array;
  query?: string;
  gatewayKey?: string;
  signedAfterMs?: number;
  fromMs?: number;
  toMs?: number;
  /** Requires the first page, so that nothing before it was omitted. */
  isFirstPage?: true;
};

const skewMs = 60_000;

const messages = {
  node_id: "the node id does not match its identity key",
  key_id: "the key id does not match the keys",
  attestation_id: "the attestation id does not match its content",
  other_audience: "the statement was not made for a gateway",
  key_unusable: "a key in the statement is invalid or weak",
  identity_signature: "the statement is not signed by the identity key",
  signed_in_future: "the signature time is in the future",
  not_the_job: "the proof is for another job",
  not_the_result: "the given result differs from the signed one",
  not_the_query: "the request has another query",
  not_the_window: "the request has another window",
  not_the_first_page: "the request is for a later page",
  not_the_gateway: "the node worked for a gateway with another key",
  signed_too_early: "the signature is older than expected",
  requested_after_signature: "the request is newer than the signature",
  post_after_signature: "a post is newer than the signature",
  body_malformed: "the body is not a list of records",
};

function requireThat(code: keyof typeof messages, holds: boolean): void {
  if (!holds) throw proofRefused(code, messages[code]);
}

export function checkNames({ attestation }: Proof): void {
  const { statement, evidence, node_id, key_id, id } = attestation;
  requireThat("node_id", node_id === hashNodeId(statement.identity_key));
  requireThat("key_id", key_id === hashKeyId(statement));
  requireThat("attestation_id", id === hashAttestationId(statement, evidence));
  requireThat("other_audience", statement.audience === gatewayAudience);
}

export function checkIdentity({ attestation }: Proof): void {
  const { statement, identity_signature } = attestation;
  const { identity_key, signing_key, gateway_key, sealing_key } = statement;
  const isUsable = [identity_key, signing_key, gateway_key].every(isSigningKey);
  requireThat("key_unusable", isUsable && decodeBase64Url(sealing_key, 32) !== null);
  const message = makeIdentityMessage(statement);
  const isSigned = isSignedBy(identity_key, message, decodeBase64Url(identity_signature, 64));
  requireThat("identity_signature", isSigned);
}

export function checkBinding({ job, attestation }: Proof, signedResult: SignedResult): void {
  const { statement, evidence } = attestation;
  const id = hashAttestationId(statement, evidence);
  requireBinding(signedResult, job, hashKeyId(statement), { id, statement, evidence });
}

export function checkTime({ signedAtMs }: SignedResult, nowMs: number): void {
  requireThat("signed_in_future", signedAtMs <= nowMs + skewMs);
}

export function checkExpected(
  { job, body, request, attestation }: Proof,
  signedResult: SignedResult | null,
  expected: ExpectedProof,
): void {
  const { gateway_key } = attestation.statement;
  const { signedAfterMs } = expected;
  const requestFields = requestMembers(request);
  const matches = <Value>(value: Value | undefined, found: unknown): boolean =>
    value === undefined || value === found;
  requireThat("not_the_job", matches(expected.job, job));
  const isExpectedBody =
    expected.body === undefined || Buffer.from(body, "utf8").equals(expected.body);
  requireThat("not_the_result", isExpectedBody);
  requireThat("not_the_query", matches(expected.query, requestFields.query));
  const isExpectedWindow =
    matches(expected.fromMs, requestFields.fromMs) && matches(expected.toMs, requestFields.toMs);
  requireThat("not_the_window", isExpectedWindow);
  const isFirstPage = requestFields.after === null && requestFields.place === null;
  requireThat("not_the_first_page", expected.isFirstPage === undefined || isFirstPage);
  requireThat("not_the_gateway", matches(expected.gatewayKey, gateway_key));
  const signedAtMs = signedResult?.signedAtMs ?? Number.NEGATIVE_INFINITY;
  requireThat("signed_too_early", signedAfterMs === undefined || signedAtMs >= signedAfterMs);
}

function requestMembers(request: string): Readonly<Record<string, unknown>> {
  try {
    return asFields(JSON.parse(request));
  } catch {
    return {};
  }
}

/**
 * Checks the body against the request and, if known, the signature time. Returns the number of
 * records.
 */
export async function checkBody(
  { body, request: requestText, knowledge }: Proof,
  signedAtMs: number | null,
): Promise<number> {
  const request = readRequest(requestText);
  const parsedKnowledge = readKnowledge(knowledge);
  const items = readRecords(body).map(readRecord);
  await checkAnswer(request, items, parsedKnowledge);
  if (signedAtMs !== null) checkBefore(signedAtMs + skewMs, request, items);
  return items.length;
}

/** Authors can claim any time, so the ID must also be too late. */
function checkBefore(
  latestMs: number,
  request: AnswerRequest,
  items: readonly ParsedRecord[],
): void {
  requireThat("requested_after_signature", request.asOfMs <= latestMs);
  const isLater = ({ item: { id }, kind, createdMs }: ParsedRecord): boolean =>
    kind === "post" &&
    (createdMs === null || createdMs > latestMs) &&
    id !== null &&
    hasTime(id) &&
    idTimeMs(id) > latestMs;
  requireThat("post_after_signature", !items.some(isLater));
}

/** Requires canonical JSON, so that all readers extract the same records. */
function readRecords(body: string): string[] {
  try {
    const values: unknown = JSON.parse(body);
    if (Array.isArray(values) && JSON.stringify(values) === body) {
      return values.map((value) => JSON.stringify(value));
    }
  } catch {
    // Not JSON, or nested too deeply to serialise.
  }
  throw proofRefused("body_malformed", messages.body_malformed);
}
