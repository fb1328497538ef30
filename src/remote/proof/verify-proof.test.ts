import { beforeAll, describe, expect, test } from "vitest";
import {
  jobUuid,
  makeAnswer,
  makeNode,
  makeProof,
  nowMs,
  postItem,
  type TestNode,
  testRequest,
} from "../../../testkit/nodes/proof.ts";
import { lastId } from "../../posts/ids.ts";
import { createSimulatedTee, type SimulatedWorld } from "../evidence/simulated/simulated-tee.ts";
import { encodeBase64Url } from "../protocol/encoding.ts";
import { makeSigningKey } from "../protocol/keys.ts";
import { makeContentDigest } from "../protocol/signed-fields.ts";
import {
  hashAttestationId,
  hashKeyId,
  hashNodeId,
  makeIdentityMessage,
} from "../protocol/statement.ts";
import { requestText } from "../protocol/texts.ts";
import type { Proof } from "./read-proof.ts";
import { type ProofOptions, verifyProof } from "./verify-proof.ts";

let tee: SimulatedWorld;
let node: TestNode;
let nodeWithoutEvidence: TestNode;
const answer = makeAnswer([postItem(1), postItem(2), postItem(3)]);

beforeAll(async () => {
  tee = createSimulatedTee({ nowMs });
  node = await makeNode("simulated", tee);
  nodeWithoutEvidence = await makeNode("none");
});

const options = (overrides: Partial<ProofOptions> = {}): ProofOptions => ({
  acceptedKinds: ["tdx", "simulated"],
  policy: tee.policy(),
  nowMs,
  ...overrides,
});

const acceptingNone = (): ProofOptions => options({ acceptedKinds: ["none"], policy: null });

async function readErrors(proof: unknown, proofOptions = options()): Promise<string[]> {
  const verdict = await verifyProof(proof, proofOptions);
  const codes = verdict.steps.flatMap(({ code }) => (code === null ? [] : [code]));
  expect(verdict.holds).toBe(codes.length === 0);
  return codes;
}

const getCopy = (proof: Proof): Proof => structuredClone(proof);

describe("a valid proof", () => {
  test("a valid proof reports its passed checks and content", async () => {
    const verdict = await verifyProof(JSON.stringify(makeProof(node, answer)), options());
    expect(verdict.steps.map(({ check, outcome }) => `${check} ${outcome}`)).toEqual([
      "form passed",
      "names passed",
      "identity passed",
      "signature passed",
      "binding passed",
      "time passed",
      "evidence passed",
      "answer passed",
      "expected skipped",
    ]);
    expect(verdict).toMatchObject({
      holds: true,
      records: 3,
      signed: { job: jobUuid, evidence: "simulated", signedAtMs: nowMs },
      evidence: { kind: "simulated", facts: { tcbStatus: "UpToDate" } },
    });
  });

  test("a valid proof without evidence is accepted if `none` is accepted, even for an empty answer", async () => {
    expect(
      await readErrors(makeProof(nodeWithoutEvidence, makeAnswer([])), acceptingNone()),
    ).toEqual([]);
  });

  test("a valid proof matches what the caller expects", async () => {
    const proof = makeProof(node, answer);
    const expected = {
      job: jobUuid,
      body: Buffer.from(proof.body),
      query: testRequest.query,
      gatewayKey: node.attestation.statement.gateway_key,
      signedAfterMs: nowMs - 1_000,
      fromMs: testRequest.fromMs,
      toMs: testRequest.toMs,
      isFirstPage: true,
    } as const;
    expect(await readErrors(proof, options({ expected }))).toEqual([]);
  });

  test.each([
    ["not_the_job", { job: "0190a2b4-7c11-4f6e-9d53-1f0a55c0ffef" }],
    ["not_the_result", { body: Buffer.from("[]") }],
    ["not_the_query", { query: "dogs" }],
    ["not_the_window", { fromMs: testRequest.fromMs - 1 }],
    ["not_the_window", { toMs: testRequest.toMs + 1 }],
    ["not_the_gateway", { gatewayKey: makeSigningKey().publicKey }],
    ["signed_too_early", { signedAfterMs: nowMs + 1_000 }],
  ] as const)(
    "verification fails with %s if the caller expects otherwise",
    async (code, expected) => {
      expect(await readErrors(makeProof(node, answer), options({ expected }))).toEqual([code]);
    },
  );
});

describe("changing any member of a proof", () => {
  const cases: [path: string, change: (proof: Proof) => void, codes: string[]][] = [
    ["version", (p) => Object.assign(p, { version: 2 }), ["malformed"]],
    ["another member", (p) => Object.assign(p, { more: 1 }), ["malformed"]],
    ["job", (p) => Object.assign(p, { job: jobUuid.replace("ffee", "ffef") }), ["other_job"]],
    ["body", (p) => Object.assign(p, { body: p.body.replace("cats", "CATS") }), ["content_digest"]],
    [
      "body with an extra space",
      (p) => Object.assign(p, { body: ` ${p.body}` }),
      ["content_digest", "body_malformed"],
    ],
    [
      "knowledge",
      (p) => Object.assign(p, { knowledge: p.knowledge.replace("something", "nothing") }),
      ["knowledge_digest"],
    ],
    [
      "request",
      (p) => Object.assign(p, { request: p.request.replace("cats", "CATS") }),
      ["request_digest"],
    ],
    [
      "content-digest",
      (p) => Object.assign(p.fields, { "content-digest": makeContentDigest("[]") }),
      ["content_digest"],
    ],
    [
      "content-type",
      (p) => Object.assign(p.fields, { "content-type": "application/json" }),
      ["content_type"],
    ],
    [
      "earshot-job",
      (p) =>
        Object.assign(p.fields, {
          "earshot-job": p.fields["earshot-job"].replace("simulated", "tdx"),
        }),
      ["bad_signature"],
    ],
    [
      "signature-input",
      (p) =>
        Object.assign(p.fields, {
          "signature-input": p.fields["signature-input"].replace(/created=\d+/, "created=1"),
        }),
      ["bad_signature"],
    ],
    [
      "signature",
      (p) => Object.assign(p.fields, { signature: replaceCharacter(p.fields.signature, 20) }),
      ["bad_signature"],
    ],
    [
      "attestation.id",
      (p) => Object.assign(p.attestation, { id: replaceCharacter(p.attestation.id, 3) }),
      ["attestation_id"],
    ],
    ["node_id", (p) => Object.assign(p.attestation, { node_id: "0000000000000000" }), ["node_id"]],
    [
      "key_id",
      (p) => Object.assign(p.attestation, { key_id: replaceCharacter(p.attestation.key_id, 3) }),
      ["key_id"],
    ],
    [
      "identity_signature",
      (p) =>
        Object.assign(p.attestation, {
          identity_signature: replaceCharacter(p.attestation.identity_signature, 3),
        }),
      ["identity_signature"],
    ],
    [
      "quote",
      (p) =>
        Object.assign(p.attestation.evidence, {
          quote: replaceHexDigit(p.attestation.evidence.quote ?? ""),
        }),
      ["attestation_id", "other_attestation", "quote_signature"],
    ],
    [
      "no quote",
      (p) => Object.assign(p.attestation.evidence, { quote: null }),
      ["attestation_id", "other_attestation", "quote_missing"],
    ],
    [
      "event log",
      (p) => Object.assign(p.attestation.evidence, { event_log: "[]" }),
      ["event_log_mismatch"],
    ],
    [
      "no event log",
      (p) => Object.assign(p.attestation.evidence, { event_log: null }),
      ["app_not_measured"],
    ],
    [
      "no collateral",
      (p) => Object.assign(p.attestation, { collateral: null }),
      ["collateral_missing"],
    ],
    [
      "collateral of another machine's root",
      (p) =>
        Object.assign(p.attestation, { collateral: createSimulatedTee({ nowMs }).collateral() }),
      ["crl_issuer"],
    ],
    [
      "malformed collateral",
      (p) => Object.assign(p.attestation, { collateral: { tcb_info: 1 } }),
      ["collateral_malformed"],
    ],
  ];

  test.each([
    ["does not match the query", { langs: ["de"] }, "not_a_match"],
    ["is outside the window", { created_at: "2010-01-01T00:00:00Z" }, "outside_window"],
    ["links to a script", { urls: ["javascript:alert(1)"] }, "record_malformed"],
  ])(
    "a record that %s is detected although the node itself signed it",
    async (_what, metadata, code) => {
      const forgedAnswer = makeAnswer([postItem(1, metadata)]);
      expect(await readErrors(makeProof(node, forgedAnswer))).toEqual([code]);
    },
  );

  test.each(cases)("a change of a proof is detected: %s", async (_path, change, codes) => {
    const proof = getCopy(makeProof(node, answer));
    change(proof);
    expect(await readErrors(proof)).toEqual(codes);
  });

  test.each([
    "audience",
    "nonce",
    "identity_key",
    "signing_key",
    "sealing_key",
    "boot_id",
    "gateway_key",
  ] as const)("a change of a proof is detected in statement.%s", async (member) => {
    const proof = getCopy(makeProof(node, answer));
    const { statement } = proof.attestation;
    Object.assign(statement, { [member]: replaceCharacter(statement[member], 2) });
    const codes = await readErrors(proof);
    expect(codes).toContain(
      { identity_key: "node_id", signing_key: "key_id", sealing_key: "key_id" }[String(member)] ??
        "attestation_id",
    );
    expect(codes.some((code) => ["identity_signature", "key_unusable"].includes(code))).toBe(true);
    expect(codes.some((code) => ["report_data", "bad_signature"].includes(code))).toBe(true);
  });

  test("a change of any member of a proof is detected, except in unverified members", async () => {
    const proof = makeProof(node, answer);
    const unverifiedPaths: string[] = [];
    for (const path of readLeaves(proof)) {
      if ((await readErrors(changedAt(proof, path))).length === 0)
        unverifiedPaths.push(path.join("."));
    }
    expect(unverifiedPaths).toEqual([
      "attestation.name",
      "attestation.evidence.vm_config",
      "attestation.policy_id",
    ]);
  });

  test("an error of the API is recognised in place of a proof", async () => {
    const problem = { type: "/docs/errors/proof_withdrawn", detail: "2 records were withdrawn" };
    const { steps } = await verifyProof(JSON.stringify(problem), options());
    expect(steps[0]).toMatchObject({
      code: "malformed",
      message: "the file is an error response, not a proof: 2 records were withdrawn",
    });
  });

  test("a proof whose bytes are not UTF-8, or whose body has a lone surrogate, is refused", async () => {
    const proof = makeProof(nodeWithoutEvidence, makeAnswer([postItem(1, { more: "\ufffd" })]));
    const bytes = Buffer.from(JSON.stringify(proof));
    expect(await readErrors(bytes, acceptingNone())).toEqual([]);
    const index = bytes.indexOf("\ufffd");
    const brokenBytes = Buffer.concat([
      bytes.subarray(0, index),
      Buffer.of(0xff),
      bytes.subarray(index + 3),
    ]);
    expect(await readErrors(brokenBytes, acceptingNone())).toEqual(["not_json"]);
    const body = proof.body.replace("\ufffd", "\ud800");
    expect(await readErrors({ ...proof, body }, acceptingNone())).toEqual(["body_malformed"]);
  });

  test("a proof with a repeated member is refused, because readers differ in which one they use", async () => {
    const text = JSON.stringify(makeProof(node, answer));
    const otherBody = JSON.stringify(JSON.stringify([]));
    expect(await readErrors(`{"body":${otherBody},${text.slice(1)}`)).toEqual(["repeated_members"]);
    expect(await readErrors(text.slice(1))).toEqual(["not_json"]);
  });

  test.each([[null], [[]], ["null"], [{}], [1], ['{"version":1}']])(
    "%j is not a proof",
    async (proof) => {
      expect(await readErrors(proof)).toEqual(["malformed"]);
    },
  );
});

describe("a lying gateway", () => {
  test("a lying gateway cannot lower or raise the kind of evidence", async () => {
    const acceptedKinds = ["tdx", "simulated", "none"] as const;
    const loweredProof = getCopy(makeProof(node, answer));
    Object.assign(loweredProof.attestation.statement, { evidence: "none" });
    const bareEvidence = { quote: null, event_log: null, vm_config: null };
    Object.assign(loweredProof.attestation, { evidence: bareEvidence });
    expect(await readErrors(loweredProof, options({ acceptedKinds }))).toEqual([
      "attestation_id",
      "identity_signature",
      "other_evidence",
    ]);
    const proofWithQuote = getCopy(makeProof(node, answer));
    Object.assign(proofWithQuote.attestation.statement, { evidence: "none" });
    expect(await readErrors(proofWithQuote, options({ acceptedKinds }))).toContain(
      "evidence_unexpected",
    );
    const raisedProof = getCopy(makeProof(node, answer));
    Object.assign(raisedProof.attestation.statement, { evidence: "tdx" });
    expect(await readErrors(raisedProof, options({ acceptedKinds }))).toContain("chain_root");
    const tdxProof = makeProof(await makeNode("tdx", tee), answer);
    expect(await readErrors(tdxProof, options({ acceptedKinds }))).toEqual(["chain_root"]);
  });

  test("a lying gateway cannot pass a proof to a caller who accepts only other kinds", async () => {
    expect(await readErrors(makeProof(node, answer), options({ acceptedKinds: ["tdx"] }))).toEqual([
      "kind_not_accepted",
    ]);
    expect(await readErrors(makeProof(nodeWithoutEvidence, answer))).toEqual(["kind_not_accepted"]);
  });

  test("a lying gateway cannot pass a quote to a caller without a policy, or with another one", async () => {
    expect(await readErrors(makeProof(node, answer), options({ policy: null }))).toEqual([
      "policy_missing",
    ]);
    const policy = tee.policy({ compose_hashes: ["00".repeat(32)] });
    expect(await readErrors(makeProof(node, answer), options({ policy }))).toEqual([
      "compose_hash_unknown",
    ]);
    const otherPolicy = tee.policy({ platforms: ["00".repeat(16)] });
    expect(await readErrors(makeProof(node, answer), options({ policy: otherPolicy }))).toEqual([
      "platform_not_listed",
    ]);
  });

  test("a lying gateway cannot substitute the attestation of another node on the same machine", async () => {
    const proof = makeProof(node, answer);
    const otherNode = await makeNode("simulated", tee);
    expect(await readErrors({ ...proof, attestation: otherNode.attestation })).toEqual([
      "bad_signature",
    ]);
  });

  test("a lying gateway cannot put its own keys into an attested statement", async () => {
    const gatewayNode = await makeNode("none");
    const { statement } = node.attestation;
    const forgedStatement = { ...statement, signing_key: gatewayNode.keys.signingKey };
    const attestation = {
      ...node.attestation,
      statement: forgedStatement,
      key_id: hashKeyId(forgedStatement),
      id: hashAttestationId(forgedStatement, node.attestation.evidence),
    };
    const proof = makeProof({ ...gatewayNode, attestation }, answer);
    expect(await readErrors(proof)).toEqual(["identity_signature", "report_data"]);
  });

  test("a lying gateway cannot use another identity with attested keys", async () => {
    const identity = makeSigningKey();
    const statement = { ...node.attestation.statement, identity_key: identity.publicKey };
    const attestation = {
      ...node.attestation,
      statement,
      node_id: hashNodeId(identity.publicKey),
      id: hashAttestationId(statement, node.attestation.evidence),
      identity_signature: encodeBase64Url(identity.sign(makeIdentityMessage(statement))),
    };
    const proof = makeProof({ ...node, attestation }, answer);
    expect(await readErrors(proof)).toEqual(["report_data"]);
  });

  test("a lying gateway cannot name a gateway other than the attested one", async () => {
    const gateway_key = makeSigningKey().publicKey;
    const expected = { gatewayKey: gateway_key };
    const proof = getCopy(makeProof(node, answer));
    Object.assign(proof.attestation.statement, { gateway_key });
    expect(await readErrors(proof, options({ expected }))).toEqual([
      "attestation_id",
      "identity_signature",
      "other_attestation",
      "report_data",
    ]);
    expect(await readErrors(makeProof(node, answer), options({ expected }))).toEqual([
      "not_the_gateway",
    ]);
  });

  test("a lying gateway cannot substitute the answer of another job, or the coverage of another answer", async () => {
    const otherProof = makeProof(node, makeAnswer([]), { job: jobUuid.replace("ffee", "0000") });
    expect(await readErrors({ ...otherProof, job: jobUuid })).toEqual(["other_job"]);
    const proof = makeProof(node, answer);
    expect(await readErrors({ ...proof, knowledge: otherProof.knowledge })).toEqual([
      "knowledge_digest",
    ]);
    expect(await readErrors({ ...proof, body: "[]" })).toEqual(["content_digest"]);
  });

  test("a lying gateway cannot reformat the body", async () => {
    const proof = makeProof(node, answer);
    const body = JSON.stringify(JSON.parse(proof.body), null, 1);
    expect(await readErrors({ ...proof, body })).toEqual(["content_digest", "body_malformed"]);
    const escapedBody = proof.body.replace("é", "\\u00e9");
    expect(JSON.parse(escapedBody)).toEqual(JSON.parse(proof.body));
    expect(await readErrors({ ...proof, body: escapedBody })).toEqual([
      "content_digest",
      "body_malformed",
    ]);
  });

  test("a lying gateway cannot change the covered components", async () => {
    const proof = makeProof(node, answer);
    for (const components of [
      '("content-digest" "content-type")',
      '("earshot-job" "content-type" "content-digest")',
      '("content-digest" "content-type" "earshot-job";key="id")',
    ]) {
      const changedProof = getCopy(proof);
      const input = changedProof.fields["signature-input"].replace(/\(.*?\)/, components);
      Object.assign(changedProof.fields, { "signature-input": input });
      expect(await readErrors(changedProof)).toEqual(["signature_input"]);
    }
  });

  test("a lying gateway cannot reuse signatures of the same key for another purpose", async () => {
    const proof = getCopy(makeProof(node, answer));
    const input = proof.fields["signature-input"].replace("earshot-result", "earshot-node");
    Object.assign(proof.fields, { "signature-input": input });
    expect(await readErrors(proof)).toEqual(["signature_input"]);
  });

  test.each([
    ['id="0190a2b4-7c11-4f6e-9d53-1f0a55c00000", ', "a repeated member"],
    ["a=1, ", "an unknown member"],
  ])("a lying gateway cannot add %s to Earshot-Job (%s)", async (more) => {
    const signer = { sign: (message: Uint8Array) => node.keys.sign(message) };
    const proof = getCopy(makeProof(node, answer));
    const job = `${more}${proof.fields["earshot-job"]}`;
    const input = proof.fields["signature-input"].slice("earshot=".length);
    const base = [
      `"content-digest": ${proof.fields["content-digest"]}`,
      `"content-type": ${proof.fields["content-type"]}`,
      `"earshot-job": ${job}`,
      `"@signature-params": ${input}`,
    ].join("\n");
    const signature = Buffer.from(signer.sign(Buffer.from(base))).toString("base64");
    Object.assign(proof.fields, { "earshot-job": job, signature: `earshot=:${signature}:` });
    expect(await readErrors(proof)).toEqual(["job_field"]);
  });

  test("a lying gateway cannot encode a signature differently", async () => {
    const proof = getCopy(makeProof(node, answer));
    const respelledSignature = proof.fields.signature.replace(
      /.==:$/,
      (end) => `${next(end[0] ?? "")}==:`,
    );
    expect(Buffer.from(respelledSignature.slice(9), "base64")).toEqual(
      Buffer.from(proof.fields.signature.slice(9), "base64"),
    );
    Object.assign(proof.fields, { signature: respelledSignature });
    expect(await readErrors(proof)).toEqual(["bad_signature"]);
    const proofWithShortSignature = getCopy(makeProof(node, answer));
    Object.assign(proofWithShortSignature.fields, {
      signature: proofWithShortSignature.fields.signature.replace("==:", ":"),
    });
    expect(await readErrors(proofWithShortSignature)).toEqual(["bad_signature"]);
  });

  test("a lying gateway cannot present a signature from the future, or one older than the caller expects", async () => {
    const proof = makeProof(node, answer);
    const laterProof = makeProof(node, answer, { nowMs: nowMs + 600_000 });
    expect(await readErrors(laterProof)).toEqual(["signed_in_future"]);
    const yearLater = options({ nowMs: nowMs + 365 * 86_400_000 });
    expect(await readErrors(proof, yearLater)).toEqual([]);
    const expected = { signedAfterMs: nowMs + 364 * 86_400_000 };
    expect(await readErrors(proof, { ...yearLater, expected })).toEqual(["signed_too_early"]);
  });

  test.each([
    ["that had expired", { inForce: { fromMs: nowMs - 2 * day, toMs: nowMs - day } }],
    ["that was not valid yet", { inForce: { fromMs: nowMs + day, toMs: nowMs + 2 * day } }],
    ["in which the machine is revoked", { revoked: ["pck"] as const }],
    ["in which the machine is out of date", { tcbStatus: "OutOfDate" }],
    ["older than the policy allows", { evaluationNumber: 1 }],
  ])("a lying gateway cannot use collateral %s", async (_name, fields) => {
    const attestation = { ...node.attestation, collateral: tee.collateral(fields) };
    const [code, ...otherCodes] = await readErrors(makeProof({ ...node, attestation }, answer));
    expect(otherCodes).toEqual([]);
    expect(code).toMatch(
      /^(?:crl_outdated|collateral_outdated|certificate_revoked|tcb_status|tcb_evaluation_outdated)$/,
    );
  });

  test("a lying gateway cannot use collateral that expired between attestation and signature", async () => {
    const inForce = { fromMs: nowMs - day, toMs: nowMs + 3_600_000 };
    const attestation = { ...node.attestation, collateral: tee.collateral({ inForce }) };
    const proofAt = (ms: number) => makeProof({ ...node, attestation }, answer, { nowMs: ms });
    const laterOptions = options({ nowMs: nowMs + day });
    expect(await readErrors(proofAt(nowMs + 3_000_000), laterOptions)).toEqual([]);
    expect(await readErrors(proofAt(nowMs + 4_000_000), laterOptions)).toEqual(["crl_outdated"]);
  });

  test("a proof can be checked with newer collateral as of a later time, which is reported", async () => {
    const proof = makeProof(node, answer);
    const inForce = { fromMs: nowMs + 30 * day, toMs: nowMs + 60 * day };
    const asOfMs = nowMs + 40 * day;
    const withCollateral = (fields: Parameters<typeof tee.collateral>[0], ms: number) =>
      options({ nowMs: asOfMs, collateral: async () => tee.collateral(fields), asOfMs: ms });
    expect((await verifyProof(proof, options())).asOfMs).toBe(nowMs);
    const verdict = await verifyProof(proof, withCollateral({ inForce }, asOfMs));
    expect(verdict).toMatchObject({ holds: true, asOfMs });
    expect(verdict.steps.find(({ check }) => check === "evidence")?.message).toContain(
      `as of ${new Date(asOfMs).toISOString()}`,
    );
    expect(await readErrors(proof, withCollateral({ inForce }, nowMs))).toEqual(["crl_outdated"]);
    expect(await readErrors(proof, withCollateral({ inForce }, nowMs + 61 * day))).toEqual([
      "crl_outdated",
    ]);
    const revokedOptions = withCollateral({ inForce, revoked: ["pck"] }, asOfMs);
    expect(await readErrors(proof, revokedOptions)).toEqual(["certificate_revoked"]);
  });
});

const day = 86_400_000;

describe("a lying node", () => {
  const asNone = async (proof: Proof) => readErrors(proof, acceptingNone());

  test.each([
    ["other_evidence", { evidence: "tdx" as const }],
    ["other_attestation", { attestationId: encodeBase64Url(Buffer.alloc(32)) }],
    ["other_quote", { quoteSha256: Buffer.alloc(32) }],
    ["other_key", { keyId: "A".repeat(22) }],
    ["other_job", { job: jobUuid.replace("ffee", "0000") }],
    ["signature_input", { keyId: 'A";tag="x' }],
  ])("the proof of a lying node is refused with %s", async (code, overrides) => {
    const proof = makeProof(nodeWithoutEvidence, answer, overrides);
    expect(await asNone(proof)).toEqual([code]);
  });

  test.each([
    ["too_many_items", { maxResults: 2 }],
    ["other_platform", { platform: "bluesky" as const }],
    ["outside_window", { fromMs: nowMs - 100 }],
    ["before_its_page", { after: { platform: "x" as const, id: 5n } }],
  ])("a lying node cannot answer another request: %s", async (code, overrides) => {
    const proof = makeProof(nodeWithoutEvidence, answer, {
      request: requestText({ ...testRequest, ...overrides }),
    });
    expect(await asNone(proof)).toEqual([code]);
  });

  test("a lying node cannot answer about an account other than the one that the query names", async () => {
    const requestFields = {
      ...testRequest,
      method: "gettweets",
      fromMs: null,
      query: "x:@alice",
    } as const;
    const coverage = { fromMs: null, toMs: nowMs, complete: true, gaps: [] };
    const proofAbout = (handle: string): Proof => {
      const target = { kind: "user", platform: "x", handle, id: null, host: null } as const;
      const request = requestText({ ...requestFields, target });
      return makeProof(nodeWithoutEvidence, { ...makeAnswer([]), coverage }, { request });
    };
    const expected = { query: "x:@alice" };
    const inputs = { ...acceptingNone(), expected };
    expect(await readErrors(proofAbout("alice"), inputs)).toEqual([]);
    expect(await readErrors(proofAbout("mallory"), inputs)).toEqual(["target_mismatch"]);
  });

  test("a lying node cannot present a later page as the first", async () => {
    const after = { platform: "x", id: lastId } as const;
    const proof = makeProof(nodeWithoutEvidence, answer, {
      request: requestText({ ...testRequest, after }),
    });
    const inputs = { ...acceptingNone(), expected: { isFirstPage: true } as const };
    expect(await readErrors(proof)).toEqual(["kind_not_accepted"]);
    expect(await asNone(proof)).toEqual([]);
    expect(await readErrors(proof, inputs)).toEqual(["not_the_first_page"]);
  });

  test("a lying node cannot report complete coverage for part of the window", async () => {
    const coverage = { fromMs: nowMs, toMs: nowMs, complete: true, gaps: [] };
    const proof = makeProof(nodeWithoutEvidence, { ...makeAnswer([]), coverage, sources: [] });
    expect(await asNone(proof)).toEqual(["coverage_too_narrow"]);
  });

  test("a lying node cannot sign before the request, or before its posts existed", async () => {
    const signedMs = nowMs - 3_600_000;
    const proof = (items: Parameters<typeof makeAnswer>[0], asOfMs: number): Proof => {
      const request = requestText({ ...testRequest, asOfMs });
      return makeProof(nodeWithoutEvidence, makeAnswer(items), { request, nowMs: signedMs });
    };
    expect(await asNone(proof([postItem(61)], signedMs))).toEqual([]);
    expect(await asNone(proof([postItem(61)], nowMs))).toEqual(["requested_after_signature"]);
    expect(await asNone(proof([postItem(1)], signedMs))).toEqual(["post_after_signature"]);
  });

  test("a node can return a post whose author claims a future time", async () => {
    const claimedPost = postItem(1, { created_at: new Date(nowMs + day).toISOString() });
    expect(await asNone(makeProof(nodeWithoutEvidence, makeAnswer([claimedPost])))).toEqual([]);
  });

  test("a lying node cannot use a statement for another audience", async () => {
    const node = await makeNode("none", null, { audience: "earshot-caller" });
    expect(await asNone(makeProof(node, answer))).toEqual(["other_audience"]);
  });

  test("a lying node cannot exhaust the verifier by nesting", async () => {
    const nestedJson = "[".repeat(20_000) + "]".repeat(20_000);
    expect(
      await asNone(makeProof(nodeWithoutEvidence, answer, { body: `[${nestedJson}]` })),
    ).toEqual(["body_malformed"]);
  });

  test.each([
    ["body_malformed", "{}"],
    ["record_malformed", "[1]"],
    ["body_malformed", "[] "],
    ["body_malformed", "["],
    ["body_malformed", '[{"ID":"1","ID":"2"}]'],
    ["record_malformed", '[{"ID":"x","Metadata":{"platform":"x"}}]'],
    ["record_malformed", '[{"ID":"1","Content":"","Metadata":{"platform":"x"}}]'],
  ])("a lying node cannot sign a malformed body: %s %s", async (code, body) => {
    expect(await asNone(makeProof(nodeWithoutEvidence, answer, { body }))).toEqual([code]);
  });

  test("a lying node cannot use a key of small order, whose signatures anyone can make", async () => {
    const signing_key = encodeBase64Url(Buffer.concat([Buffer.of(1), Buffer.alloc(31)]));
    const weakNode = await makeNode("none", null, { signing_key });
    const proof = getCopy(makeProof(weakNode, answer));
    const signature = Buffer.concat([Buffer.of(1), Buffer.alloc(63)]).toString("base64");
    Object.assign(proof.fields, { signature: `earshot=:${signature}:` });
    expect(await asNone(proof)).toEqual(["key_unusable", "bad_signature"]);
  });
});

function readLeaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => readLeaves(member, [...path, name]));
}

/** Changes one letter of a text, or replaces any other value. */
function changedAt(proof: Proof, path: readonly string[]): unknown {
  const copy = structuredClone(proof);
  const owner = path.slice(0, -1).reduce<object>((at, name) => Reflect.get(at, name), copy);
  const name = path.at(-1) ?? "";
  const value: unknown = Reflect.get(owner, name);
  Reflect.set(
    owner,
    name,
    typeof value === "string" ? replaceCharacter(value, value.length >> 1) : "x",
  );
  return copy;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const next = (letter: string): string => alphabet[(alphabet.indexOf(letter) ^ 1) % 64] ?? "";

function replaceCharacter(text: string, index: number): string {
  const other = text[index]?.toUpperCase() === "A" ? "B" : "A";
  return text.slice(0, index) + other + text.slice(index + 1);
}

function replaceHexDigit(hex: string): string {
  const index = 2 * (48 + 520);
  return hex.slice(0, index) + (hex[index] === "0" ? "1" : "0") + hex.slice(index + 1);
}
