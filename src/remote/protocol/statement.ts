import { createHash } from "node:crypto";
import { frame, sha256 } from "./encoding.ts";
import type { Evidence, NodeStatement } from "./messages.ts";

export type { NodeStatement } from "./messages.ts";

/** Audience of evidence for gateways. */
export const gatewayAudience = "earshot";

/** Audience of evidence that callers request from a node; gateways refuse it. */
export const callerAudience = "earshot-caller";

const fields = (statement: NodeStatement): readonly string[] => [
  String(statement.version),
  statement.evidence,
  statement.audience,
  statement.nonce,
  statement.identity_key,
  statement.signing_key,
  statement.sealing_key,
  statement.boot_id,
  statement.gateway_key,
];

/** 64 bytes for the quote. The label separates other programs' quotes. */
export function reportDataOf(statement: NodeStatement): Buffer {
  return createHash("sha512")
    .update(frame("earshot-node-attestation/v1", ...fields(statement)))
    .digest();
}

export function identityMessageOf(statement: NodeStatement): Buffer {
  return frame("earshot-node-identity/v1", ...fields(statement));
}

/** A node's id: 16 hexadecimal digits. */
export function nodeIdOf(identityKey: string): string {
  return sha256(frame("earshot-node/v1", identityKey)).toString("hex").slice(0, 16);
}

/** A run's key id: 22 characters of base64url. */
export function keyIdOf(statement: Pick<NodeStatement, "signing_key" | "sealing_key">): string {
  const keys = frame("earshot-node-key/v1", statement.signing_key, statement.sealing_key);
  return sha256(keys).toString("base64url").slice(0, 22);
}

export function attestationIdOf(
  statement: NodeStatement,
  evidence: Pick<Evidence, "quote">,
): string {
  const content = frame("earshot-attestation/v1", ...fields(statement), evidence.quote ?? "");
  return sha256(content).toString("base64url");
}

/** Binds an answer to its request; never reused. */
export const callerNoncePattern = /^[A-Za-z0-9_-]{22,64}$/;

/** Signed in place of a job's uuid (RFC 9562, version 8): unpredictable without the nonce, and never a gateway's job. */
export function jobOfNonce(nonce: string): string {
  const bytes = sha256(frame("earshot-direct-answer/v1", nonce)).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
