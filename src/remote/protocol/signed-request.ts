import { nodeUnauthorized } from "./errors.ts";
import { createMessageSignatures, makeContentDigest } from "./signed-fields.ts";

export type SignedRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array | null;
};

const names = ["@method", "@request-target", "content-digest"] as const;
const signatures = createMessageSignatures(names, "earshot-node", { hasNonce: true });

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
) {
  const digest = makeContentDigest(request.body);
  return {
    "content-digest": digest,
    ...signatures.sign(makeValues(request, digest), request, key),
  };
}

/** Only the returned `isSignedBy` checks the signature. */
export function readSignedRequest(request: SignedRequest) {
  const { "content-digest": digest, "signature-input": input, signature } = request.headers;
  if (digest === undefined || input === undefined || signature === undefined) {
    throw nodeUnauthorized("not_signed", "the request is not signed");
  }
  if (request.body !== null && digest !== makeContentDigest(request.body)) {
    throw nodeUnauthorized("content_digest", "the body differs from the signed one");
  }
  const parsed = signatures.read(input);
  if (parsed === null) {
    throw nodeUnauthorized("signature_input", "the signature does not cover the required fields");
  }
  const { isSigned, ...sender } = parsed;
  const values = makeValues(request, digest);
  return { ...sender, isSignedBy: (key: string) => isSigned(signature, values, key) };
}

const makeValues = ({ method, path }: { method: string; path: string }, digest: string) => ({
  "@method": method,
  "@request-target": path,
  "content-digest": digest,
});
