import { join } from "node:path";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { ensureKeyFile } from "../../lib/key-file.ts";
import { base64 } from "../protocol/encoding.ts";
import { type Identity, makeIdentity, makeRunKeys, type RunKeys } from "../protocol/keys.ts";
import { identityMessageOf, keyIdOf, type NodeStatement, nodeIdOf } from "../protocol/statement.ts";

export type NodeSelf = {
  nodeId: string;
  keyId: string;
  identity: Identity;
  keys: RunKeys;
  bootId: string;
};

/** Identity from `node.key`, with new run keys. */
export async function openSelf(dataDir: string, randomBytes: RandomBytes): Promise<NodeSelf> {
  const secret = ensureKeyFile(join(dataDir, "node.key"), randomBytes, {
    code: "identity_unreadable",
    hint: "restore the file; without it, the node gets a new identity that an operator must approve",
  });
  const identity = makeIdentity(secret);
  const keys = await makeRunKeys();
  return {
    identity,
    keys,
    nodeId: nodeIdOf(identity.key),
    keyId: keyIdOf({ signing_key: keys.signingKey, sealing_key: keys.sealingKey }),
    bootId: base64(randomBytes(16)),
  };
}

export function makeStatement(
  { identity, keys, bootId }: NodeSelf,
  evidence: EvidenceKind,
  recipient: Pick<NodeStatement, "audience" | "nonce" | "gateway_key">,
): { statement: NodeStatement; identity_signature: string } {
  const statement: NodeStatement = {
    version: 1,
    evidence,
    audience: recipient.audience,
    nonce: recipient.nonce,
    identity_key: identity.key,
    signing_key: keys.signingKey,
    sealing_key: keys.sealingKey,
    boot_id: bootId,
    gateway_key: recipient.gateway_key,
  };
  return { statement, identity_signature: base64(identity.sign(identityMessageOf(statement))) };
}
