/**
 * Requests of callers unknown to the operator are refused before their body is read; the token replaces limits per address
 * and per node. It admits no node: evidence and approval decide. A leaked token costs some CPU time and rows of pending
 * nodes; another secret key makes another token.
 */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { base64url, bytesOf, frame } from "./encoding.ts";

/** The field by which a node shows that it knows the enrolment token of its gateway. */
export const enrolmentField = "earshot-enrolment";

/** The token of a gateway, base64url: made from the key of its data folder, another for each name of the gateway. */
export const enrolmentTokenOf = (secretKey: Uint8Array, audience: string): string =>
  base64url(
    new Uint8Array(hkdfSync("sha256", secretKey, "", `earshot enrolment/v1 ${audience}`, 32)),
  );

export const isEnrolmentToken = (text: string): boolean => bytesOf(text, 32) !== null;

/** Shows the token for one signed request, whose `Signature-Input` no other has, without sending it. */
export const enrolmentProof = (token: string, signatureInput: string): string =>
  base64url(hmacOf(token, signatureInput));

/** Whether a proof was made with this token for this request. False for anything malformed. */
export function isEnrolmentProof(proof: string, token: string, signatureInput: string): boolean {
  const bytes = bytesOf(proof, 32);
  return bytes !== null && timingSafeEqual(bytes, hmacOf(token, signatureInput));
}

const hmacOf = (token: string, signatureInput: string): Buffer =>
  createHmac("sha256", Buffer.from(token, "base64url"))
    .update(frame("earshot-enrolment/v1", signatureInput))
    .digest();
