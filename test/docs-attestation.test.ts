import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulatedTee } from "../src/nodes/evidence/simulated/simulated-tee.ts";
import type { Proof } from "../src/nodes/proof/proof.ts";
import { makeIdentity, makeRunKeys } from "../src/nodes/protocol/keys.ts";
import { quoteDigestOf, signResult } from "../src/nodes/protocol/signed-result.ts";
import {
  attestationIdOf,
  identityMessageOf,
  keyIdOf,
  type NodeStatement,
  nodeIdOf,
  reportDataOf,
} from "../src/nodes/protocol/statement.ts";

/** What docs/attestation.md tells to do by other means than Earshot's own, done. */
const page = readFileSync(new URL("../docs/attestation.md", import.meta.url), "utf8");
const [, , after = ""] = page.split(/^## (By other means)$/m);
const program = /```js example\n([\s\S]*?)```/.exec(after)?.[1] ?? "";
const commands = (/```sh\n([\s\S]*?)```/.exec(after)?.[1] ?? "").trim().split("\n");

const folder = mkdtempSync(join(tmpdir(), "earshot-docs-attestation-"));
afterAll(() => rmSync(folder, { recursive: true }));

let proof: Proof;
beforeAll(async () => {
  proof = await madeProof();
  writeFileSync(join(folder, "take-apart.mjs"), program);
});

async function madeProof(): Promise<Proof> {
  const nowMs = Date.now();
  const world = createSimulatedTee({ nowMs });
  const keys = await makeRunKeys();
  const identity = makeIdentity();
  const statement: NodeStatement = {
    version: 1,
    evidence: "simulated",
    audience: "earshot",
    nonce: "A".repeat(43),
    identity_key: identity.key,
    signing_key: keys.signingKey,
    sealing_key: keys.sealingKey,
    boot_id: "B".repeat(22),
    gateway_key: "C".repeat(43),
  };
  const evidence = world.evidence(reportDataOf(statement));
  const job = "0194f6a0-0000-7000-8000-000000000001";
  const body = '[{"ID":"1","Content":"é 🦉"}]';
  const request = '{"query":"owl"}';
  const knowledge = '{"coverage":null}';
  const id = attestationIdOf(statement, evidence);
  const keyId = keyIdOf(statement);
  const told = { body, job, request, knowledge, keyId, nowMs, attestationId: id };
  const quoteSha256 = quoteDigestOf(evidence);
  const fields = signResult({ ...told, evidence: "simulated", quoteSha256 }, keys);
  const signature = Buffer.from(identity.sign(identityMessageOf(statement)));
  return {
    version: 1,
    job,
    body,
    fields,
    knowledge,
    request,
    attestation: {
      id,
      node_id: nodeIdOf(identity.key),
      key_id: keyId,
      name: "node",
      statement,
      identity_signature: signature.toString("base64url"),
      evidence,
      collateral: world.collateral(),
      verified_at: new Date(nowMs).toISOString(),
      policy_id: "policy",
    },
  };
}

/** What a command of the page prints for a proof, and how it ends. */
function run(command: string): { status: number | null; out: string } {
  const { status, stdout } = spawnSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  return { status, out: stdout.trim() };
}

const [takeApart = "", ofBody = "", ofRequest = "", ofKnowledge = "", ofQuote = "", check = ""] =
  commands;

describe("a proof, by other means", () => {
  test("the page has a command for each step", () => {
    expect(commands).toHaveLength(6);
    expect(takeApart).toContain("take-apart.mjs");
    expect(check).toContain("openssl pkeyutl -verify");
  });

  test("holds: digests are those of the fields, the quote holds the statement, the signature is the key's", () => {
    writeFileSync(join(folder, "proof.json"), JSON.stringify(proof));
    expect(run(takeApart).out).toContain("quote holds the statement: true");
    const { fields } = proof;
    expect(fields["content-digest"]).toBe(`sha-256=:${run(ofBody).out}:`);
    expect(fields["earshot-job"]).toContain(`request=:${run(ofRequest).out}:`);
    expect(fields["earshot-job"]).toContain(`knowledge=:${run(ofKnowledge).out}:`);
    expect(fields["earshot-job"]).toContain(`quote=:${run(ofQuote).out}:`);
    expect(run(check)).toEqual({ status: 0, out: "Signature Verified Successfully" });
  });

  test("does not hold when a field, the body or a key was changed", () => {
    const { attestation, fields } = proof;
    const changed = (statement: Partial<NodeStatement>): Proof => ({
      ...proof,
      attestation: { ...attestation, statement: { ...attestation.statement, ...statement } },
    });
    const otherJob = fields["earshot-job"].replace('id="0', 'id="1');
    writeFileSync(
      join(folder, "proof.json"),
      JSON.stringify({ ...proof, body: "[]", fields: { ...fields, "earshot-job": otherJob } }),
    );
    run(takeApart);
    expect(fields["content-digest"]).not.toContain(run(ofBody).out);
    expect(run(check).status).toBe(1);
    writeFileSync(
      join(folder, "proof.json"),
      JSON.stringify(changed({ signing_key: attestation.statement.sealing_key })),
    );
    expect(run(takeApart).out).toContain("quote holds the statement: false");
    expect(run(check).status).toBe(1);
  });
});
