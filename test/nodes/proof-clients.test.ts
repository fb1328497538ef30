import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyProof } from "../../clients/typescript/src/proof.ts";
import { intelRoot } from "../../src/remote/evidence/quote-library.ts";
import {
  createSimulatedTee,
  type SimulatedWorld,
} from "../../src/remote/evidence/simulated/simulated-tee.ts";
import type { Proof } from "../../src/remote/proof/read-proof.ts";
import {
  makeAnswer,
  makeNode,
  makeProof,
  nowMs,
  postItem,
  type TestNode,
} from "../../testkit/nodes/proof.ts";
import {
  hasSampleQuotes,
  sampleCollateral,
  sampleReport,
} from "../../testkit/nodes/sample-quotes.ts";

/** verifyProof of the TypeScript client, which is Earshot's own verifier, and verify_proof of Python, which shares no code with it. */
type Verify = (proof: unknown, options: Options) => Promise<Verdict>;
type Options = { policy: object; root?: string; collateral?: object; asOf?: string };
type Verdict = { holds: boolean; asOf: Date | null; failed: string };

const folder = mkdtempSync(join(tmpdir(), "earshot-proof-"));
afterAll(() => rmSync(folder, { recursive: true }));

let tee: SimulatedWorld;
let node: TestNode;
beforeAll(async () => {
  tee = createSimulatedTee({ nowMs });
  node = await makeNode("simulated", tee);
});

function tempFile(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const inPython: Verify = async (proof, { policy, root, collateral, asOf }) => {
  const files = [tempFile("proof.json", proof), tempFile("policy.json", policy)];
  const args = [
    ...(root === undefined ? [] : ["--root", tempFile("root.pem", root)]),
    ...(collateral === undefined ? [] : ["--collateral", tempFile("collateral.json", collateral)]),
    ...(asOf === undefined ? [] : ["--as-of", asOf]),
  ];
  const env = { ...process.env, PYTHONPATH: "clients/python/src" };
  const cwd = join(import.meta.dirname, "../..");
  const command = ["-m", "earshot_proof", ...files, ...args];
  const { status, stdout, stderr } = spawnSync("python3", command, { encoding: "utf8", env, cwd });
  expect(stderr).toBe("");
  const lines = stdout.split("\n").filter((line) => line.startsWith("FAILED"));
  const failed = lines.map((line) => line.slice(8));
  const [, time = ""] = /evidence as of (.*)/.exec(stdout) ?? [];
  return { holds: status === 0, asOf: new Date(time), failed: failed.join("\n") };
};

const inTypeScript: Verify = async (proof, { policy, root, collateral, asOf }) => {
  const trusted = root === undefined ? policy : { ...policy, simulated_root: root };
  const verdict = await verifyProof(JSON.stringify(proof), trusted, {
    accept: ["simulated"],
    ...(collateral === undefined ? {} : { collateral }),
    ...(asOf === undefined ? {} : { asOf: new Date(asOf) }),
  });
  const failed = verdict.checks.filter(({ outcome }) => outcome === "failed");
  return { ...verdict, failed: failed.map(({ check, code }) => `${check} ${code}`).join("\n") };
};

const verifiers: [string, Verify][] = [
  ["Python", inPython],
  ["TypeScript", inTypeScript],
];

const answer = makeAnswer([postItem(1), postItem(2)]);
const withCollateral = (fields: Parameters<SimulatedWorld["collateral"]>[0]) =>
  makeProof(
    { ...node, attestation: { ...node.attestation, collateral: tee.collateral(fields) } },
    answer,
  );

function flipBit(proof: Proof, offset: number): void {
  const quote = Buffer.from(proof.attestation.evidence.quote ?? "", "hex");
  quote.writeUInt8(quote.readUInt8(offset) ^ 1, offset);
  proof.attestation.evidence.quote = quote.toString("hex");
}

const failedChain = (name: string) =>
  `the ${name} chain leads to the root, is unexpired and not revoked`;
const program = "the policy names the program and its key provider";

describe.each(verifiers)("a proof, verified in %s", (language, verify) => {
  const defaultOptions = () => ({ policy: tee.policy(), root: tee.rootPem });

  test("a proof verifies as of the time of the signature", async () => {
    const { holds, failed, asOf } = await verify(makeProof(node, answer), defaultOptions());
    expect({ holds, failed }).toEqual({ holds: true, failed: "" });
    expect(asOf).toEqual(new Date(nowMs));
  });

  test("a proof verifies with specified collateral while that is valid", async () => {
    const proof = withCollateral({ revoked: ["pck"] });
    const withCollateralOption = { ...defaultOptions(), collateral: tee.collateral() };
    expect(await verify(proof, withCollateralOption)).toMatchObject({ holds: true });
    const late = await verify(proof, { ...withCollateralOption, asOf: "2027-03-01T00:00:00Z" });
    expect(late).toMatchObject({ holds: false });
  });

  /** The failed checks, one per line. */
  async function failures(proof: Proof, options: Options = defaultOptions()): Promise<string> {
    const { holds, failed } = await verify(proof, options);
    expect(holds).toBe(false);
    return failed;
  }

  test("a proof does not verify with another body, job, request, node id or event", async () => {
    const proof = structuredClone(makeProof(node, answer));
    const { evidence } = proof.attestation;
    Object.assign(proof, { body: "[]", request: "{}" });
    Object.assign(proof.attestation, { node_id: "0" });
    const event_log = evidence.event_log?.replaceAll(tee.composeHash, "ab".repeat(32));
    Object.assign(evidence, { event_log });
    expectFailures(await failures(proof), {
      Python: [
        "the node's id is derived from its identity key",
        "the body is the one that was signed",
        "job, request, knowledge and quote are those that were signed",
        "the event log replays to RTMR3, and the boot had ended",
        "the policy names the program and its key provider",
        "MRCONFIGID is zero or that of the program",
      ],
      TypeScript: ["names node_id", "signature content_digest", "answer request_malformed"],
    });
  });

  test("a proof does not verify with another statement, report or quoting enclave", async () => {
    const proof = structuredClone(makeProof(node, answer));
    const { statement } = proof.attestation;
    Object.assign(statement, { signing_key: statement.sealing_key });
    for (const offset of [184, 900]) flipBit(proof, offset);
    expectFailures(await failures(proof), {
      Python: [
        "the key id is derived from the keys",
        "the attestation id is derived from statement and quote",
        "the identity key signed the statement",
        "the signing key signed the fields",
        "job, request, knowledge and quote are those that were signed",
        "the quote is for this statement",
        "the attestation key signed the report",
        "the machine's certificate vouches for the enclave",
        "the quoting enclave is Intel's",
        "the policy names the image",
        program,
      ],
      TypeScript: ["names key_id", "identity identity_signature", "signature bad_signature"],
    });
  });

  test("a proof does not verify without its attestation", async () => {
    const proof = { ...makeProof(node, answer), attestation: {} };
    const { holds, failed } = await verify(proof, defaultOptions());
    expect({ holds, failed }).toMatchObject({ holds: false, failed: /form/ });
  });

  test.each([
    ["pck", ["PCK"]],
    ["platformCa", ["PCK"]],
    ["tcbSigning", ["TCB information", "enclave identity"]],
  ] as const)(
    "a proof does not verify once the certificate of %s is revoked",
    async (revoked, chains) => {
      expectFailures(await failures(withCollateral({ revoked: [revoked] })), {
        Python: chains.map(failedChain),
        TypeScript: ["evidence certificate_revoked"],
      });
    },
  );

  test.each<[string, Parameters<SimulatedWorld["collateral"]>[0], string[], string]>([
    [
      "a machine that is out of date",
      { tcbStatus: "OutOfDate" },
      ["the policy accepts the states of platform, enclave and module"],
      "evidence tcb_status",
    ],
    [
      "an advisory that is not accepted",
      { advisories: ["INTEL-SA-1"] },
      ["the policy accepts the advisories"],
      "evidence advisories",
    ],
    [
      "old collateral",
      { evaluationNumber: 1 },
      ["the collateral is recent enough for the policy"],
      "evidence tcb_evaluation_outdated",
    ],
    [
      "collateral of another machine",
      { tcbInfo: { fmspc: "00906ea10001" } },
      ["the collateral is for this machine"],
      "evidence collateral_other_machine",
    ],
    [
      "a quoting enclave that is not Intel's",
      { qeIdentity: { mrsigner: "ab".repeat(32) } },
      ["the quoting enclave is Intel's"],
      "evidence qe_identity_mismatch",
    ],
    [
      "a TDX module that is out of date",
      { moduleSvn: 9 },
      [
        "the policy accepts the states of platform, enclave and module",
        "the policy accepts the advisories",
      ],
      "evidence tcb_status",
    ],
  ])("a proof does not verify with %s", async (_title, fields, Python, typescript) => {
    const failed = await failures(withCollateral(fields));
    expectFailures(failed, { Python, TypeScript: [typescript] });
  });

  test.each([
    ["images", { images: [] }, ["the policy names the image", program], "evidence image_unknown"],
    [
      "machines",
      { platforms: [] },
      ["the policy names the machine"],
      "evidence platform_not_listed",
    ],
    [
      "processor features",
      { xfam: "0".repeat(16) },
      ["the policy allows the processor features"],
      "evidence xfam",
    ],
    [
      "forms of MRCONFIGID",
      { mr_config_versions: [] },
      ["MRCONFIGID is zero or that of the program"],
      "evidence mr_config_id",
    ],
    [
      "programs",
      { compose_hashes: [] },
      [program, "MRCONFIGID is zero or that of the program"],
      "evidence compose_hash_unknown",
    ],
    ["key providers", { key_providers: [] }, [program], "evidence key_provider_unknown"],
  ])(
    "a proof does not verify with other %s in the policy",
    async (_title, special, Python, typescript) => {
      const options = { ...defaultOptions(), policy: tee.policy(special) };
      const failed = await failures(makeProof(node, answer), options);
      expectFailures(failed, { Python, TypeScript: [typescript] });
    },
  );

  test("a proof does not verify with another root", async () => {
    const root = createSimulatedTee({ nowMs }).rootPem;
    const failed = await failures(makeProof(node, answer), { ...defaultOptions(), root });
    expectFailures(failed, {
      Python: ["PCK", "TCB information", "enclave identity"].map(failedChain),
      TypeScript: ["evidence chain_root"],
    });
  });

  function expectFailures(failed: string, expected: Readonly<Record<string, readonly string[]>>) {
    expect(failed.split("\n")).toEqual(expected[language]);
  }
});

const skipped = hasSampleQuotes() ? "" : " (skipped: the sample quotes are not on this machine)";

test.skipIf(!hasSampleQuotes())(
  `the Python verifier rejects a real machine's quote only because of its statement${skipped}`,
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
    const proof = makeProof(await makeNode("tdx"), answer);
    Object.assign(proof.attestation, {
      evidence: { quote: Buffer.from(quote).toString("hex"), event_log: eventLog, vm_config: null },
      collateral: sampleCollateral("tdx_quote_outdated_collateral.json"),
    });
    const { failed } = await inPython(proof, { policy, asOf: "2026-02-20T00:00:00Z" });
    expect(failed.split("\n")).toEqual([
      "the attestation id is derived from statement and quote",
      "job, request, knowledge and quote are those that were signed",
      "the quote is for this statement",
    ]);
  },
);

test("the Python verifier has Intel's root", async () => {
  const command = "import earshot_proof; print(earshot_proof.INTEL_ROOT)";
  const env = { ...process.env, PYTHONPATH: "clients/python/src" };
  const cwd = join(import.meta.dirname, "../..");
  const { stdout } = spawnSync("python3", ["-c", command], { encoding: "utf8", env, cwd });
  const content = stdout.replaceAll(/-----.*-----|\s/g, "");
  expect(content).toBe(Buffer.from(await intelRoot()).toString("base64"));
});
