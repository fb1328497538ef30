/**
 * Lets a gateway reject unknown callers before reading their bodies. The token admits no node: a
 * leaked one costs only CPU time and rows.
 */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { decodeBase64Url, encodeBase64Url, frame } from "./encoding.ts";

export const enrolmentField = "earshot-enrolment";

export const makeEnrolmentToken = (secretKey: Uint8Array): string =>
  encodeBase64Url(
    new Uint8Array(hkdfSync("sha256", secretKey, "", "earshot enrolment/v1 earshot", 32)),
  );

export const isEnrolmentToken = (text: string): boolean => decodeBase64Url(text, 32) !== null;

/** HMAC of the unique `Signature-Input`; the token is never sent. */
export const enrolmentProof = (token: string, signatureInput: string): string =>
  encodeBase64Url(tokenHmac(token, signatureInput));

export function isEnrolmentProof(proof: string, token: string, signatureInput: string): boolean {
  const bytes = decodeBase64Url(proof, 32);
  return bytes !== null && timingSafeEqual(bytes, tokenHmac(token, signatureInput));
}

const tokenHmac = (token: string, signatureInput: string): Buffer =>
  createHmac("sha256", Buffer.from(token, "base64url"))
    .update(frame("earshot-enrolment/v1", signatureInput))
    .digest();
