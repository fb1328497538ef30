import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { intelRoot } from "../../src/remote/evidence/quote-library.ts";
import {
  createSimulatedTee,
  type SimulatedWorld,
} from "../../src/remote/evidence/simulated/simulated-tee.ts";
import type { Proof } from "../../src/remote/proof/read-proof.ts";
import {
  answerOf,
  makeNode,
  nowMs,
  postItem,
  proofBy,
  type TestNode,
} from "../../testkit/nodes/proof.ts";

import {
  hasSampleQuotes,
  sampleCollateral,
  sampleReport,
} from "../../testkit/nodes/sample-quotes.ts";

/** examples/verify_proof.py, which shares no code with Earshot. process.test.ts has a full proof. */
const program = fileURLToPath(new URL("../../examples/verify_proof.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "earshot-example-"));
afterAll(() => rmSync(folder, { recursive: true }));

let tee: SimulatedWorld;
let node: TestNode;
beforeAll(async () => {
  tee = createSimulatedTee({ nowMs });
  node = await makeNode("simulated", tee);
});

function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Failed checks and exit code. */
function verdictOn(
  proof: unknown,
  { policy = tee.policy(), root = tee.rootPem, args = [] as readonly string[] } = {},
) {
  const files = [
    written("proof.json", proof),
    written("root.pem", root),
    written("policy.json", policy),
  ];
  const { status, stdout, stderr } = spawnSync("python3", [program, ...files, ...args], {
    encoding: "utf8",
  });
  const failed = stdout.split("\n").filter((line) => line.startsWith("FAILED"));
  return { status, failed: failed.map((line) => line.slice(8)), stdout, stderr };
}

const answer = answerOf([postItem(1), postItem(2)]);
const withCollateral = (fields: Parameters<SimulatedWorld["collateral"]>[0]) => ({
  ...node,
  attestation: { ...node.attestation, collateral: tee.collateral(fields) },
});

describe("a proof, by other means", () => {
  test("holds, and says as of when", () => {
    const { status, failed, stdout, stderr } = verdictOn(proofBy(node, answer));
    expect({ status, failed, stderr }).toEqual({ status: 0, failed: [], stderr: "" });
    expect(stdout).toContain("evidence as of 2026-01-31T12:00:00+00:00");
  });

  test("is checked as of another time, with collateral from a file", () => {
    const proof = proofBy(withCollateral({ revoked: ["machine"] }), answer);
    const later = written("collateral.json", tee.collateral());
    expect(verdictOn(proof, { args: ["--collateral", later] })).toMatchObject({ status: 0 });
    const args = ["--collateral", later, "--as-of", "2027-03-01T00:00:00Z"];
    expect(verdictOn(proof, { args }).failed).toEqual([
      "the PCK chain leads to the root, in time and not revoked",
      "the TCB information chain leads to the root, in time and not revoked",
      "the enclave identity chain leads to the root, in time and not revoked",
      "tcb_info is in force",
      "qe_identity is in force",
    ]);
  });

  const bitTurned = (proof: Proof, offset: number): void => {
    const quote = Buffer.from(proof.attestation.evidence.quote ?? "", "hex");
    quote.writeUInt8(quote.readUInt8(offset) ^ 1, offset);
    proof.attestation.evidence.quote = quote.toString("hex");
  };

  const failures = (proof: Proof, given: Parameters<typeof verdictOn>[1] = {}): string => {
    const { status, failed } = verdictOn(proof, given);
    expect(status).toBe(1);
    return failed.join("\n");
  };

  test("does not hold with another body, job, request, node id or event", () => {
    const proof = structuredClone(proofBy(node, answer));
    const { evidence } = proof.attestation;
    Object.assign(proof, { body: "[]", request: "{}" });
    Object.assign(proof.attestation, { node_id: "0" });
    const event_log = evidence.event_log?.replaceAll(tee.composeHash, "ab".repeat(32));
    Object.assign(evidence, { event_log });
    const failed = failures(proof);
    expect(failed).toMatch(/^the node's id/m);
    expect(failed).toMatch(/^the body is the one/m);
    expect(failed).toMatch(/^job, request, knowledge and quote/m);
    expect(failed).toMatch(/^the event log replays to RTMR3/m);
    expect(failed).toMatch(/^the policy names the program/m);
    expect(failed).toMatch(/^MRCONFIGID/m);
  });

  test("does not hold with another statement, report or quoting enclave", () => {
    const proof = structuredClone(proofBy(node, answer));
    const { statement } = proof.attestation;
    Object.assign(statement, { signing_key: statement.sealing_key });
    for (const offset of [184, 900]) bitTurned(proof, offset);
    const failed = failures(proof);
    expect(failed).toMatch(/^the key id/m);
    expect(failed).toMatch(/^the identity key signed/m);
    expect(failed).toMatch(/^the signing key signed/m);
    expect(failed).toMatch(/^the quote is for this statement/m);
    expect(failed).toMatch(/^the attestation key signed the report/m);
    expect(failed).toMatch(/^the machine's certificate vouches/m);
    expect(failed).toMatch(/^the policy names the image/m);
  });

  test.each([
    ["machine", /^the PCK chain/m],
    ["machines", /^the PCK chain/m],
    ["collateral", /^the TCB information chain/m],
  ] as const)("does not hold once the certificate of %s is revoked", (revoked, line) => {
    expect(failures(proofBy(withCollateral({ revoked: [revoked] }), answer))).toMatch(line);
  });

  test("does not hold with a machine that is out of date or another than the collateral's", () => {
    const fields = {
      tcbStatus: "OutOfDate",
      advisories: ["INTEL-SA-1"],
      evaluationNumber: 1,
      tcbInfo: { fmspc: "00906ea10001" },
      qeIdentity: { mrsigner: "ab".repeat(32) },
    };
    const failed = failures(proofBy(withCollateral(fields), answer));
    expect(failed).toMatch(/takes the states/);
    expect(failed).toMatch(/accepts the advisories/);
    expect(failed).toMatch(/recent enough/);
    expect(failed).toMatch(/for this machine/);
    expect(failed).toMatch(/quoting enclave is Intel's/);
    const module = failures(proofBy(withCollateral({ moduleSvn: 9 }), answer));
    expect(module).toMatch(/^the policy takes the states of platform, enclave and module$/m);
  });

  test("does not hold for one who trusts another program, image, machine or root", () => {
    const nothing = { images: [], platforms: [], xfam: "0".repeat(16), mr_config_versions: [] };
    const failed = failures(proofBy(node, answer), {
      policy: tee.policy(nothing),
      root: createSimulatedTee({ nowMs }).rootPem,
    });
    expect(failed).toMatch(/^the PCK chain/m);
    expect(failed).toMatch(/names the image/);
    expect(failed).toMatch(/names the machine/);
    expect(failed).toMatch(/processor features/);
    expect(failed).toMatch(/^MRCONFIGID/m);
    const program = "the policy names the program and who gave it its keys";
    for (const policy of [{ compose_hashes: [] }, { key_providers: [] }]) {
      expect(failures(proofBy(node, answer), { policy: tee.policy(policy) })).toContain(program);
    }
  });
});

const skipped = hasSampleQuotes() ? "" : " (skipped: the sample quotes are not on this machine)";

test.skipIf(!hasSampleQuotes())(
  `the quote of a real machine of dstack fails by its statement alone${skipped}`,
  async () => {
    const { quote, eventLog } = sampleReport();
    const register = (from: number) => quote.subarray(48 + from, 96 + from);
    const [mrtd = "", ...rtmr] = [136, 328, 376, 424].map((from) =>
      Buffer.from(register(from)).toString("hex"),
    );
    const composeHash = "3763bc34552cf3a27ff71ad5f7a90471562a1a2df552dfc1998cba2d60da27e7";
    const policy = tee.policy({
      images: [{ name: "sample", mrtd, rtmr }],
      compose_hashes: [composeHash],
      key_providers: [{ name: "local-sgx" }],
      platforms: null,
    });
    const proof = proofBy(await makeNode("tdx"), answer);
    Object.assign(proof.attestation, {
      evidence: { quote: Buffer.from(quote).toString("hex"), event_log: eventLog, vm_config: null },
      collateral: sampleCollateral("tdx_quote_outdated_collateral.json"),
    });
    const root = Buffer.from(await intelRoot()).toString("base64");
    const args = ["--as-of", "2026-02-20T00:00:00Z"];
    const pem = `-----BEGIN CERTIFICATE-----\n${root.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
    const { failed } = verdictOn(proof, { policy, root: pem, args });
    expect(failed).toEqual([
      "the attestation id is made of statement and quote",
      "job, request, knowledge and quote are those that were signed",
      "the quote is for this statement",
    ]);
  },
);
