import { signatureRefused } from "./errors.ts";
import {
  type Component,
  contentDigestOf,
  coveredOf,
  isSignature,
  signatureInputOf,
  signatureOf,
} from "./signed-fields.ts";

export type SignedRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array | null;
};

export type SenderOfRequest = {
  keyId: string;
  createdMs: number;
  nonce: string;
  isSignedBy(signingKey: string): boolean;
};

const covered = coveredOf(["@method", "@request-target", "content-digest"]);

/** `nonce`: 16 to 64 characters of base64url. */
export function signRequest(
  request: {
    method: string;
    path: string;
    body: string | Uint8Array;
    keyId: string;
    nowMs: number;
    nonce: string;
  },
  key: { sign(message: Uint8Array): Uint8Array },
): Record<string, string> {
  const digest = contentDigestOf(request.body);
  const created = Math.floor(request.nowMs / 1_000);
  const parameters = `${covered};created=${created};nonce="${request.nonce}";keyid="${request.keyId}";alg="ed25519";tag="earshot-node"`;
  return {
    "content-digest": digest,
    "signature-input": signatureInputOf(parameters),
    signature: signatureOf(componentsOf(request, digest), parameters, key),
  };
}

/** `isSignedBy` checks the signature. */
export function readSignedRequest(request: SignedRequest): SenderOfRequest {
  const [digest, input, signature] = ["content-digest", "signature-input", "signature"].map(
    (name) => request.headers[name],
  );
  if (digest === undefined || input === undefined || signature === undefined) {
    throw signatureRefused("not_signed", "the request is not signed");
  }
  if (request.body !== null && !isBodyOf(request.headers, request.body)) {
    throw signatureRefused("content_digest", "the body differs from the signed one");
  }
  const read = inputPattern.exec(input)?.groups;
  const { parameters, created, nonce, keyid } = read ?? {};
  if (parameters === undefined || nonce === undefined || keyid === undefined) {
    throw signatureRefused("signature_input", "the signature does not cover the required fields");
  }
  return {
    keyId: keyid,
    createdMs: Number(created) * 1_000,
    nonce,
    isSignedBy: (signingKey) =>
      isSignature(signature, componentsOf(request, digest), parameters, signingKey),
  };
}

export function isBodyOf(headers: SignedRequest["headers"], body: Uint8Array): boolean {
  return headers["content-digest"] === contentDigestOf(body);
}

const inputPattern = new RegExp(
  `^earshot=(?<parameters>${covered.replaceAll(/[()]/g, "\\$&")};created=(?<created>0|[1-9][0-9]{0,11})` +
    `;nonce="(?<nonce>[A-Za-z0-9_-]{16,64})";keyid="(?<keyid>[A-Za-z0-9_-]{22})";alg="ed25519";tag="earshot-node")$`,
);

const componentsOf = (
  { method, path }: { method: string; path: string },
  digest: string,
): readonly Component[] => [
  ["@method", method],
  ["@request-target", path],
  ["content-digest", digest],
];
