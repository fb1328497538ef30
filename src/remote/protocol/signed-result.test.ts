import { createPublicKey, verify as verifyEd25519 } from "node:crypto";
import fc from "fast-check";
import { httpbis } from "http-message-signatures";
import { expect, test } from "vitest";
import type { SignedFields } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import { sha256 } from "./encoding.ts";
import { makeSigningKey } from "./keys.ts";
import { quoteDigest, signResult, verifyResult } from "./signed-result.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const node = makeSigningKey(Buffer.alloc(32, 5));
const resultContent = {
  body: '[{"ID":"1"}]',
  knowledge: '{"complete":true}',
  request: '{"query":"é"}',
};
const signingOptions = {
  ...resultContent,
  job: "0190a2b4-7c11-4f6e-9d53-1f0a55c0ffee",
  evidence: "tdx" as const,
  quoteSha256: sha256("quote"),
  attestationId: "a".repeat(43),
  keyId: "k".repeat(22),
  nowMs: nowMs + 345,
};
const fields = signResult(signingOptions, node);
const attestedResult = { ...resultContent, signingKey: node.publicKey };

function formatOutcome(changedFields: SignedFields, attestedFacts = attestedResult): string {
  try {
    verifyResult(changedFields, attestedFacts);
    return "signed";
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "signature_refused") throw error;
    return error.details[0]?.code ?? "";
  }
}

test("a signed result names what it covers", () => {
  expect(verifyResult(fields, attestedResult)).toEqual({
    keyId: signingOptions.keyId,
    job: signingOptions.job,
    evidence: "tdx",
    attestationId: signingOptions.attestationId,
    quoteSha256: sha256("quote"),
    signedAtMs: nowMs,
  });
  const bytes = Buffer.from(resultContent.body);
  expect(signResult({ ...signingOptions, body: bytes }, node)).toEqual(fields);
  expect(formatOutcome(fields, { ...attestedResult, body: resultContent.body })).toBe("signed");
});

test("a signed result without a quote has no digest of one", () => {
  expect(quoteDigest({ quote: null })).toBeNull();
  expect(quoteDigest({ quote: "00ff" })).toEqual(sha256(Buffer.of(0, 255)));
  const fieldsWithoutQuote = signResult(
    { ...signingOptions, evidence: "none", quoteSha256: null },
    node,
  );
  expect(fieldsWithoutQuote["earshot-job"]).toContain("quote=::");
  expect(verifyResult(fieldsWithoutQuote, attestedResult)).toMatchObject({
    evidence: "none",
    quoteSha256: null,
  });
});

test("an independent implementation of RFC 9421 accepts a signed result, and no other Earshot-Job", async () => {
  const verify = (headers: SignedFields) =>
    httpbis.verifyMessage(
      {
        keyLookup: async () => ({
          id: signingOptions.keyId,
          algs: ["ed25519"],
          verify: async (data: Buffer, signature: Buffer) => {
            const key = { kty: "OKP", crv: "Ed25519", x: node.publicKey };
            return verifyEd25519(null, data, createPublicKey({ key, format: "jwk" }), signature);
          },
        }),
        all: true,
        requiredFields: ["content-digest", "content-type", "earshot-job"],
        maxAge: 1e9,
      },
      { status: 200, headers },
    );
  expect(await verify(fields)).toBe(true);
  const otherJobField = fields["earshot-job"].replace('"tdx"', '"none"');
  await expect(verify({ ...fields, "earshot-job": otherJobField })).resolves.toBe(false);
});

const job = fields["earshot-job"];
const input = fields["signature-input"];

test.each([
  ["content-digest", fields["content-digest"].replace("sha-256", "sha-512"), "content_digest"],
  ["content-type", "text/html", "content_type"],
  ["earshot-job", job.replace("0190", "0191"), "bad_signature"],
  ["earshot-job", job.replace("tdx", "none"), "bad_signature"],
  ["earshot-job", job.replace("aaa", "aab"), "bad_signature"],
  ["earshot-job", job.replace(/quote=:[^:]+:/, "quote=::"), "bad_signature"],
  ["earshot-job", job.replace("request", "query"), "bad_signature"],
  ["earshot-job", `${job} `, "bad_signature"],
  ["earshot-job", "", "bad_signature"],
  ["signature-input", input.replace(' "earshot-job"', ""), "signature_input"],
  ["signature-input", input.replace('"content-digest" ', ""), "signature_input"],
  ["signature-input", input.replace("created=1", "created=2"), "bad_signature"],
  ["signature-input", input.replace("kkk", "kkl"), "bad_signature"],
  ["signature-input", input.replace("result", "node"), "signature_input"],
  ["signature-input", input.replace(";alg", ";expires=1;alg"), "signature_input"],
  ["signature-input", `${input}\n`, "signature_input"],
  ["signature", fields.signature.replace("earshot", "other"), "bad_signature"],
  ["signature", "", "bad_signature"],
] as const)("a signed result with another %s (%s) is refused with %s", (name, value, code) => {
  expect(value).not.toBe(fields[name]);
  expect(formatOutcome({ ...fields, [name]: value })).toBe(code);
});

test.each([
  ["body", "[]", "content_digest"],
  ["knowledge", "{}", "knowledge_digest"],
  ["request", "{}", "request_digest"],
  ["signingKey", makeSigningKey().publicKey, "bad_signature"],
  ["signingKey", "", "bad_signature"],
] as const)("a signed result for another %s (%s) is refused with %s", (name, value, code) => {
  expect(formatOutcome(fields, { ...attestedResult, [name]: value })).toBe(code);
});

test.each([
  ["a malformed uuid", { job: 'x", id="y' }],
  ["a malformed attestation id", { attestationId: "short" }],
  ["a digest of another length", { quoteSha256: Buffer.alloc(31) }],
])("a result signed with %s is refused", (_name, overrides) => {
  expect(formatOutcome(signResult({ ...signingOptions, ...overrides }, node))).toBe("job_field");
});

test("arbitrary fields are never accepted as a signed result", () => {
  const names = Object.keys(fields) as (keyof SignedFields)[];
  const text = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1"));
  fc.assert(
    fc.property(fc.constantFrom(...names), text, (name, value) => {
      expect(formatOutcome({ ...fields, [name]: value })).not.toBe("signed");
    }),
    { numRuns: 300 },
  );
});
