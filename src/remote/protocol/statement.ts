import { createHash } from "node:crypto";
import { frame, sha256 } from "./encoding.ts";
import type { Evidence, NodeStatement } from "./messages.ts";

export type { NodeStatement } from "./messages.ts";

export const gatewayAudience = "earshot";

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

/** The 64 bytes that the quote must contain. */
export function hashReportData(statement: NodeStatement): Buffer {
  return createHash("sha512")
    .update(frame("earshot-node-attestation/v1", ...fields(statement)))
    .digest();
}

export function makeIdentityMessage(statement: NodeStatement): Buffer {
  return frame("earshot-node-identity/v1", ...fields(statement));
}

export function hashNodeId(identityKey: string): string {
  return sha256(frame("earshot-node/v1", identityKey)).toString("hex").slice(0, 16);
}

export function hashKeyId(statement: Pick<NodeStatement, "signing_key" | "sealing_key">): string {
  const keys = frame("earshot-node-key/v1", statement.signing_key, statement.sealing_key);
  return sha256(keys).toString("base64url").slice(0, 22);
}

export function hashAttestationId(
  statement: NodeStatement,
  evidence: Pick<Evidence, "quote">,
): string {
  const content = frame("earshot-attestation/v1", ...fields(statement), evidence.quote ?? "");
  return sha256(content).toString("base64url");
}
