import { createPublicKey, verify as verifyEd25519 } from "node:crypto";
import fc from "fast-check";
import { httpbis } from "http-message-signatures";
import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { makeSigningKey } from "./keys.ts";
import { makeContentDigest } from "./signed-fields.ts";
import { readSignedRequest, signRequest } from "./signed-request.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const node = makeSigningKey(Buffer.alloc(32, 5));
const body = Buffer.from('{"methods":["searchbyquery"],"wait_ms":20000}');
const line = { method: "POST", path: "/internal/nodes/lease?a=b" };
const signingOptions = { ...line, body, keyId: "k".repeat(22), nowMs, nonce: "n".repeat(22) };
const request = { ...line, body, headers: signRequest(signingOptions, node) };

type Fields = Readonly<Record<string, string | undefined>>;
type RequestOverrides = { method?: string; path?: string; body?: Buffer; headers?: Fields };

function formatOutcome(overrides: RequestOverrides): string {
  try {
    const sender = readSignedRequest({ ...request, ...overrides });
    return sender.isSignedBy(node.publicKey) ? "signed" : "bad_signature";
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "node_unauthorized") throw error;
    return error.details[0]?.code ?? "";
  }
}

test("a signed request names its sender and time", () => {
  const sender = readSignedRequest(request);
  expect(sender).toMatchObject({
    keyId: signingOptions.keyId,
    createdMs: nowMs,
    nonce: signingOptions.nonce,
  });
  expect(sender.isSignedBy(node.publicKey)).toBe(true);
  expect(sender.isSignedBy(makeSigningKey().publicKey)).toBe(false);
});

test("an independent implementation of RFC 9421 accepts a signed request, but not with another path", async () => {
  const verifyAt = (url: string) =>
    httpbis.verifyMessage(
      {
        keyLookup: async () => ({
          id: signingOptions.keyId,
          algs: ["ed25519"],
          verify: async (data: Buffer, signature: Buffer) =>
            isVerifiedBy(node.publicKey, data, signature),
        }),
        all: true,
        requiredFields: ["@method", "@request-target", "content-digest"],
        maxAge: 1e9,
      },
      { method: "POST", url, headers: request.headers },
    );
  expect(await verifyAt(`https://gateway.example${line.path}`)).toBe(true);
  await expect(verifyAt("https://gateway.example/internal/nodes/leave")).resolves.toBe(false);
});

test("the body of a signed request can be compared later", () => {
  const unreadRequest = { ...request, body: null };
  expect(readSignedRequest(unreadRequest).isSignedBy(node.publicKey)).toBe(true);
  expect(makeContentDigest(body)).toBe(request.headers["content-digest"]);
  expect(formatOutcome({ headers: {} })).toBe("not_signed");
  expect(makeContentDigest(Buffer.from("{}"))).not.toBe(request.headers["content-digest"]);
});

const headers = request.headers;
const input = headers["signature-input"] ?? "";
const withInput = (changedInput: string): RequestOverrides => ({
  headers: { ...headers, "signature-input": changedInput },
});

test.each([
  ["another method", { method: "GET" }, "bad_signature"],
  ["another path", { path: "/internal/nodes/leave" }, "bad_signature"],
  ["no query", { path: "/internal/nodes/lease" }, "bad_signature"],
  ["another body", { body: Buffer.from("{}") }, "content_digest"],
  ["no digest", { headers: { ...headers, "content-digest": undefined } }, "not_signed"],
  ["no input", { headers: { ...headers, "signature-input": undefined } }, "not_signed"],
  ["no signature", { headers: { ...headers, signature: undefined } }, "not_signed"],
  [
    "another digest",
    { headers: { ...headers, "content-digest": "sha-256=:AAAA:" } },
    "content_digest",
  ],
  [
    "two digests",
    { headers: { ...headers, "content-digest": `${headers["content-digest"]}, sha-512=:AAAA:` } },
    "content_digest",
  ],
  [
    "a signature cut short",
    { headers: { ...headers, signature: "earshot=:AAAA:" } },
    "bad_signature",
  ],
  [
    "two signatures",
    { headers: { ...headers, signature: `${headers.signature}, b=:AAAA:` } },
    "bad_signature",
  ],
  ["fewer components", withInput(input.replace(' "content-digest"', "")), "signature_input"],
  [
    "a component twice",
    withInput(input.replace('"@method"', '"@method" "@method"')),
    "signature_input",
  ],
  ["another time", withInput(input.replace(/created=\d+/, "created=1")), "bad_signature"],
  [
    "a time with a leading zero",
    withInput(input.replace("created=", "created=0")),
    "signature_input",
  ],
  ["a negative time", withInput(input.replace("created=", "created=-")), "signature_input"],
  ["another nonce", withInput(input.replace("nnn", "nno")), "bad_signature"],
  ["no nonce", withInput(input.replace(/;nonce="\w+"/, "")), "signature_input"],
  ["a short nonce", withInput(input.replace(/nonce="\w+"/, 'nonce="n"')), "signature_input"],
  ["another key", withInput(input.replace("kkk", "kkl")), "bad_signature"],
  ["another algorithm", withInput(input.replace("ed25519", "hmac-sha256")), "signature_input"],
  [
    "another purpose",
    withInput(input.replace("earshot-node", "earshot-result")),
    "signature_input",
  ],
  ["a parameter twice", withInput(`${input};created=1`), "signature_input"],
  ["a second label", withInput(`${input}, b=();created=1`), "signature_input"],
  ["another label", withInput(input.replace("earshot=", "b=")), "signature_input"],
] satisfies [string, RequestOverrides, string][])(
  "a signed request with %s is refused",
  (_name, overrides, code) => {
    expect(formatOutcome({})).toBe("signed");
    expect(formatOutcome(overrides)).toBe(code);
  },
);

test("arbitrary fields are never accepted as a signed request", () => {
  const text = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1"));
  fc.assert(
    fc.property(
      fc.constantFrom("content-digest", "signature-input", "signature"),
      text,
      (name, value) => {
        expect(formatOutcome({ headers: { ...headers, [name]: value } })).not.toBe("signed");
      },
    ),
    { numRuns: 300 },
  );
});

function isVerifiedBy(key: string, data: Buffer, signature: Buffer): boolean {
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
  return verifyEd25519(null, data, publicKey, signature);
}
