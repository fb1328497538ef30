import { isDeepStrictEqual } from "node:util";
import {
  type EvidenceKind,
  evidenceKinds,
  type SignedFields,
} from "../../jobs/result-signature.ts";
import { serializeDictionary } from "../../lib/structured-fields.ts";
import { decodeBase64, sha256 } from "./encoding.ts";
import { signatureRefused } from "./errors.ts";
import type { Evidence, NodeStatement } from "./messages.ts";
import { createMessageSignatures, makeContentDigest } from "./signed-fields.ts";

export type SignedResult = ReturnType<typeof verifyResult>;

const contentType = "application/json; charset=utf-8";

const names = ["content-digest", "content-type", "earshot-job"] as const;
const signatures = createMessageSignatures(names, "earshot-result", { hasNonce: false });

export const quoteDigest = ({ quote }: Pick<Evidence, "quote">): Buffer | null =>
  quote === null ? null : sha256(Buffer.from(quote, "hex"));

export function signResult(
  result: {
    body: string | Uint8Array;
    job: string;
    request: string;
    knowledge: string;
    evidence: EvidenceKind;
    quoteSha256: Uint8Array | null;
    attestationId: string;
    keyId: string;
    nowMs: number;
  },
  key: { sign(message: Uint8Array): Uint8Array },
): SignedFields {
  const fields = {
    "content-digest": makeContentDigest(result.body),
    "content-type": contentType,
    "earshot-job": serializeDictionary({
      id: { value: result.job },
      request: { value: sha256(result.request) },
      knowledge: { value: sha256(result.knowledge) },
      quote: { value: result.quoteSha256 ?? new Uint8Array() },
      evidence: { value: result.evidence },
      attestation: { value: result.attestationId },
    }),
  };
  return { ...fields, ...signatures.sign(fields, result, key) };
}

/** Callers must also call `requireBinding`. */
export function verifyResult(
  fields: SignedFields,
  reportedResult: {
    body: string | Uint8Array;
    knowledge: string;
    request: string;
    signingKey: string;
  },
) {
  if (fields["content-type"] !== contentType) {
    throw signatureRefused("content_type", `the content type is not ${contentType}`);
  }
  if (fields["content-digest"] !== makeContentDigest(reportedResult.body)) {
    throw signatureRefused("content_digest", "the body differs from the signed one");
  }
  const parsed = signatures.read(fields["signature-input"]);
  if (parsed === null) {
    throw signatureRefused("signature_input", "the signature does not cover the required fields");
  }
  if (!parsed.isSigned(fields.signature, fields, reportedResult.signingKey)) {
    throw signatureRefused("bad_signature", "the signature does not match the attested key");
  }
  const job = jobPattern.exec(fields["earshot-job"])?.groups;
  const evidence = evidenceKinds.find((kind) => kind === job?.evidence);
  const quote = decodeBase64(job?.quote ?? "");
  if (job?.id === undefined || evidence === undefined || quote === null) {
    throw signatureRefused("job_field", "the Earshot-Job field is malformed");
  }
  if (job.request !== sha256(reportedResult.request).toString("base64")) {
    throw signatureRefused("request_digest", "the answer was signed for another request");
  }
  if (job.knowledge !== sha256(reportedResult.knowledge).toString("base64")) {
    throw signatureRefused(
      "knowledge_digest",
      "the coverage and sources differ from the signed ones",
    );
  }
  return {
    keyId: parsed.keyId,
    job: job.id,
    evidence,
    attestationId: job.attestation ?? "",
    quoteSha256: quote.length === 0 ? null : quote,
    signedAtMs: parsed.createdMs,
  };
}

const bindingErrors = {
  other_key: "the signature was not made with the attested key",
  other_job: "the signature is for another job",
  other_evidence: "the signature and the attestation name different kinds of evidence",
  other_attestation: "the signature names another attestation",
  other_quote: "the signature names a quote other than the attested one",
};

/** Requires a signature for this job by the key of this attestation. */
export function requireBinding(
  signedResult: SignedResult,
  job: string,
  keyId: string,
  attestation: { id: string; statement: NodeStatement; evidence: Evidence } | undefined,
): void {
  const requireThat = (code: keyof typeof bindingErrors, holds: boolean): void => {
    if (!holds) throw signatureRefused(code, bindingErrors[code]);
  };
  requireThat("other_key", signedResult.keyId === keyId);
  requireThat("other_job", signedResult.job === job);
  const kind = attestation?.statement.evidence ?? signedResult.evidence;
  requireThat("other_evidence", signedResult.evidence === kind);
  requireThat("other_attestation", signedResult.attestationId === attestation?.id);
  const quote = attestation === undefined ? null : quoteDigest(attestation.evidence);
  requireThat("other_quote", isDeepStrictEqual(signedResult.quoteSha256, quote));
}

const jobPattern =
  /^id="(?<id>[0-9a-f-]{36})", request=:(?<request>[A-Za-z0-9+/]{43}=):, knowledge=:(?<knowledge>[A-Za-z0-9+/]{43}=):, quote=:(?<quote>(?:[A-Za-z0-9+/]{43}=)?):, evidence="(?<evidence>[a-z]{1,16})", attestation="(?<attestation>[A-Za-z0-9_-]{43})"$/;
