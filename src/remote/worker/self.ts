import { join } from "node:path";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { ensureKeyFile } from "../../lib/key-file.ts";
import { encodeBase64Url } from "../protocol/encoding.ts";
import { makeRunKeys, makeSigningKey } from "../protocol/keys.ts";
import {
  gatewayAudience,
  hashKeyId,
  hashNodeId,
  makeIdentityMessage,
  type NodeStatement,
} from "../protocol/statement.ts";

export type NodeSelf = Awaited<ReturnType<typeof loadNodeKeys>>;

/** Reads the identity from `node.key`, and makes new run keys. */
export async function loadNodeKeys(dataDir: string, randomBytes: RandomBytes) {
  const secret = ensureKeyFile(join(dataDir, "node.key"), randomBytes, {
    code: "identity_unreadable",
    hint: "restore the file; without it, the node gets a new identity that an operator must approve",
  });
  const identity = makeSigningKey(secret);
  const keys = await makeRunKeys();
  return {
    identity,
    keys,
    nodeId: hashNodeId(identity.publicKey),
    keyId: hashKeyId({ signing_key: keys.signingKey, sealing_key: keys.encryptionKey }),
    bootId: encodeBase64Url(randomBytes(16)),
  };
}

export function makeStatement(
  { identity, keys, bootId }: NodeSelf,
  evidence: EvidenceKind,
  nonce: string,
  gatewayKey: string,
): { statement: NodeStatement; identity_signature: string } {
  const statement: NodeStatement = {
    version: 1,
    evidence,
    audience: gatewayAudience,
    nonce,
    identity_key: identity.publicKey,
    signing_key: keys.signingKey,
    sealing_key: keys.encryptionKey,
    boot_id: bootId,
    gateway_key: gatewayKey,
  };
  return {
    statement,
    identity_signature: encodeBase64Url(identity.sign(makeIdentityMessage(statement))),
  };
}
