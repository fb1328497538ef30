import { createHash } from "node:crypto";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { frame, sha256 } from "./encoding.ts";

/**
 * What a node states when it attests: who it is, the keys of this run, whom it takes work from, and the gateway's nonce. The
 * quote holds a hash of the whole, so that evidence for one statement is evidence for no other. Keys are raw, in base64url.
 */
export type NodeStatement = {
  version: 1;
  evidence: EvidenceKind;
  /** The gateway that it was made for. */
  audience: string;
  /** The gateway's nonce, 32 bytes in base64url. */
  nonce: string;
  /** Ed25519: which node it is, from run to run. */
  identity_key: string;
  /** Ed25519 and X25519, of this run alone: what results are signed with and jobs are sealed to. */
  signing_key: string;
  sealing_key: string;
  boot_id: string;
  /** Ed25519: jobs that this key has not signed are not run. */
  gateway_key: string;
};

/**
 * Whom evidence is made for that a caller asks a node for itself. No gateway goes by that name: a node that is set up for one
 * does not start, nor does the gateway, so that what callers are given is worth nothing at any gateway.
 */
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

/** What the quote of a statement has to hold: 64 bytes. The label keeps quotes of other programs out. */
export function reportDataOf(statement: NodeStatement): Buffer {
  return createHash("sha512")
    .update(frame("earshot-node-attestation/v1", ...fields(statement)))
    .digest();
}

/** What the identity key signs of a statement. */
export function identityMessageOf(statement: NodeStatement): Buffer {
  return frame("earshot-node-identity/v1", ...fields(statement));
}

/** Names a node from run to run: 16 hexadecimal digits of the hash of its identity key. */
export function nodeIdOf(identityKey: string): string {
  return sha256(frame("earshot-node/v1", identityKey)).toString("hex").slice(0, 16);
}

/** Names the keys of a run: 22 characters of base64url. */
export function keyIdOf(statement: Pick<NodeStatement, "signing_key" | "sealing_key">): string {
  const keys = frame("earshot-node-key/v1", statement.signing_key, statement.sealing_key);
  return sha256(keys).toString("base64url").slice(0, 22);
}

/** Names evidence for a statement: what is known by it can be nothing else. SHA-256 in base64url. */
export function attestationIdOf(
  statement: NodeStatement,
  evidence: Pick<Evidence, "quote">,
): string {
  const content = frame("earshot-attestation/v1", ...fields(statement), evidence.quote ?? "");
  return sha256(content).toString("base64url");
}

/** What a caller of a node may send to tie the answer to its question: 22 to 64 characters of base64url, never used before. */
export const callerNoncePattern = /^[A-Za-z0-9_-]{22,64}$/;

/**
 * What an answer to a caller's nonce is signed for in the place of a job: a UUID (RFC 9562, version 8) that nobody knew before
 * the nonce was known, and that is no job's of a gateway.
 */
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
