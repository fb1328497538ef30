import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  jobUuid,
  makeAnswer,
  makeNode,
  makeProof,
  nowMs,
  postItem,
  testRequest,
} from "../../../testkit/nodes/proof.ts";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";
import { collateralFileName, collateralKey } from "../../remote/evidence/collateral-service.ts";
import { openQuote } from "../../remote/evidence/signed-quote.ts";
import {
  createSimulatedTee,
  type SimulatedWorld,
} from "../../remote/evidence/simulated/simulated-tee.ts";
import type { Proof } from "../../remote/proof/read-proof.ts";
import { requestText } from "../../remote/protocol/texts.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

let tee: SimulatedWorld;
let simulatedProof: Proof;
let proofWithoutEvidence: Proof;

beforeAll(async () => {
  tee = createSimulatedTee({ nowMs });
  const answer = makeAnswer([postItem(1), postItem(2)]);
  simulatedProof = makeProof(await makeNode("simulated", tee), answer);
  proofWithoutEvidence = makeProof(await makeNode("none"), answer);
  file("policy.json", JSON.stringify(tee.policy()));
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const proofFile = (proof: unknown): string => file("proof.json", JSON.stringify(proof));

const verify = (...args: string[]): Promise<Outcome> => runCommand(["verify", ...args]);

const trustArgs = (): string[] => [
  "--policy",
  join(folder, "policy.json"),
  "--accept",
  "simulated",
];

describe("a valid proof", () => {
  test("verify exits with 0 for a valid proof and reports what is proven and what is not", async () => {
    const { code, out, notes } = await verify(proofFile(simulatedProof), ...trustArgs());
    expect(notes).toBe("");
    expect(code).toBe(0);
    expect(out).toContain("SIMULATED evidence: it proves nothing about a machine");
    expect(out).toContain(`Job       ${jobUuid}\n`);
    expect(out).toContain(
      'Request   searchbyquery of x: "cats lang:en", from 2026-01-30T12:00:00.000Z',
    );
    expect(out).toContain("Type      social\n");
    expect(out).toContain("Page      first\n");
    expect(out).toContain("Answer    2 records, complete\n");
    expect(out).toContain("Covered   from 2026-01-30T12:00:00.000Z to 2026-01-31T12:00:00.000Z\n");
    expect(out).toContain("Signed    2026-01-31T12:00:00.000Z by the gateway's clock\n");
    expect(out).toMatch(/ok {6}evidence/);
    expect(out).toMatch(/\n- {7}expected/);
    const [, proven = "", notProven = ""] = out.split(/Proven\n|Not proven\n/);
    expect(proven).toContain("holder of the simulated machine");
    expect(notProven).toContain("by anyone who has its file");
    expect(notProven).toContain("nodes take the time from the gateway");
    expect(notProven).toContain("--gateway-key");
    const sentences = out.slice(out.indexOf("\nProven\n")).split("\n");
    expect(Math.max(...sentences.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("verify warns that the sender of a valid proof without evidence could have invented it", async () => {
    const { code, out } = await verify(proofFile(proofWithoutEvidence), "--accept", "none");
    expect(code).toBe(0);
    expect(out).toContain("with NO evidence: nothing vouches for the signing key");
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      "the sender of this proof, such as the gateway, could have made it all up",
    );
  });

  test("verify prints a valid proof as JSON with its content", async () => {
    const { code, out } = await verify(proofFile(simulatedProof), ...trustArgs(), "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      holds: true,
      checks: expect.arrayContaining([
        { check: "signature", outcome: "passed", code: null, message: expect.any(String) },
      ]),
      job: jobUuid,
      asked: { query: testRequest.query, platform: "x", maxResults: 10 },
      about: null,
      first_page: true,
      records: 2,
      complete: true,
      coverage: { from: "2026-01-30T12:00:00.000Z", complete: true },
      signed_at: "2026-01-31T12:00:00.000Z",
      node: simulatedProof.attestation.node_id,
      key: simulatedProof.attestation.key_id,
      gateway: { audience: "earshot", key: simulatedProof.attestation.statement.gateway_key },
      evidence: {
        kind: "simulated",
        tcb_status: "UpToDate",
        compose_hash: tee.composeHash,
        is_listed_machine: true,
      },
      proven: [expect.any(String)],
      not_proven: expect.arrayContaining([expect.stringContaining("SIMULATED")]),
    });
  });

  test("verify checks a valid proof with collateral from a folder, as of now or another time", async () => {
    const currentMs = Date.now();
    const inForce = { fromMs: currentMs - 3_600_000, toMs: currentMs + 3_600_000 };
    const name = collateralFileName(
      collateralKey(openQuote(tee.quote(Buffer.alloc(64)), tee.rootDer, nowMs)),
    );
    mkdirSync(join(folder, "later"), { recursive: true });
    file(join("later", name), JSON.stringify(tee.collateral({ inForce })));
    const laterCollateral = ["--collateral", join(folder, "later")];
    const path = proofFile(simulatedProof);
    const outcomeAtSigning = await verify(path, ...trustArgs());
    expect(outcomeAtSigning.out).toContain(
      "As of     2026-01-31T12:00:00.000Z, when it was signed",
    );
    const currentOutcome = await verify(path, ...trustArgs(), ...laterCollateral, "--json");
    expect(currentOutcome.code).toBe(0);
    const { as_of, collateral_until } = JSON.parse(currentOutcome.out).evidence;
    expect(Date.parse(as_of)).toBeGreaterThanOrEqual(currentMs);
    expect(Date.parse(collateral_until)).toBe(Math.floor(inForce.toMs / 1_000) * 1_000);
    const datedOutcome = await verify(
      path,
      ...trustArgs(),
      ...laterCollateral,
      "--as-of",
      "2026-01-31",
    );
    expect(datedOutcome).toMatchObject({ code: 1, out: expect.stringContaining("(crl_outdated)") });
    const missingCollateral = await verify(
      path,
      ...trustArgs(),
      "--collateral",
      join(folder, "none"),
    );
    expect(missingCollateral).toMatchObject({ code: 1, out: expect.stringContaining(name) });
  });

  test("verify compares a valid proof with all expectations", async () => {
    const result = file("result.json", simulatedProof.body);
    const { gateway_key: key } = simulatedProof.attestation.statement;
    const expectations = [
      "--result",
      result,
      "--job",
      jobUuid,
      "--query",
      "cats lang:en",
      "--gateway-key",
      key,
    ];
    const window = ["--from", "2026-01-30T12:00:00Z", "--to", "2026-01-31T12:00:00Z"];
    const extraArgs = [...window, "--first-page", "--signed-after", "2026-01-31"];
    const { code, out } = await verify(
      proofFile(simulatedProof),
      ...trustArgs(),
      ...expectations,
      ...extraArgs,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/ok {6}expected/);
    expect(out).not.toContain("--gateway-key");
    const otherResult = ["--result", file("other.json", `${simulatedProof.body}\n`)];
    expect(await verify(proofFile(simulatedProof), ...trustArgs(), ...otherResult)).toMatchObject({
      code: 1,
      notes: expect.stringContaining("differs from the signed one"),
    });
  });
});

describe("an invalid proof", () => {
  test("verify exits with 1 for an invalid proof and shows the failed check without the content", async () => {
    const changedProof = {
      ...simulatedProof,
      request: simulatedProof.request.replace("cats", "dogs"),
    };
    const { code, out, notes } = await verify(proofFile(changedProof), ...trustArgs());
    expect(code).toBe(1);
    expect(out).toContain("The proof is invalid.\n");
    expect(out).toMatch(/FAILED {2}signature .*\(request_digest\)/);
    expect(out).not.toMatch(/dogs|Proven|Asked/);
    expect(notes).toBe(
      "earshot: the proof is invalid: the answer was signed for another request\n",
    );
  });

  test("verify prints an invalid proof as JSON with only the checks", async () => {
    const { code, out } = await verify(
      proofFile({ ...proofWithoutEvidence, body: "[]" }),
      "--accept",
      "none",
      "--json",
    );
    expect(code).toBe(1);
    const report = JSON.parse(out);
    expect(Object.keys(report)).toEqual(["holds", "checks"]);
    expect(report.holds).toBe(false);
  });

  test.each([
    ["evidence that was not accepted", () => proofWithoutEvidence, [], "add it to --accept"],
    ["a simulated quote that is not accepted", () => simulatedProof, [], "add it to --accept"],
    ["a quote without a policy", () => simulatedProof, ["--accept", "simulated"], "use --policy"],
  ] as const)("verify gives a hint about %s", async (_name, proof, args, hint) => {
    const { code, notes } = await verify(proofFile(proof()), ...args);
    expect(code).toBe(1);
    expect(notes).toContain(hint);
  });

  test("verify rejects a simulated quote that claims another kind or whose root is not in the policy", async () => {
    const falseTdxProof = makeProof(await makeNode("tdx", tee), makeAnswer([]));
    const policy = ["--policy", join(folder, "policy.json")];
    expect(await verify(proofFile(falseTdxProof), ...policy)).toMatchObject({ code: 1 });
    expect(await verify(proofFile(falseTdxProof), ...trustArgs())).toMatchObject({ code: 1 });
    const { simulated_root: _root, ...rootless } = tee.policy();
    const rootlessArgs = ["--policy", file("rootless.json", JSON.stringify(rootless))];
    expect(
      await verify(proofFile(simulatedProof), ...rootlessArgs, "--accept", "simulated"),
    ).toMatchObject({
      code: 1,
      notes: expect.stringContaining("as `simulated_root` to the policy"),
    });
  });

  test("verify rejects a proof with a duplicate member", async () => {
    const text = JSON.stringify(proofWithoutEvidence).replace("{", '{"body":"[]",');
    const { code, out } = await verify(file("twice.json", text), "--accept", "none");
    expect(code).toBe(1);
    expect(out).toContain("(repeated_members)");
  });
});

describe("a proof about an account", () => {
  const accountRequest = {
    ...testRequest,
    method: "gettweets",
    fromMs: null,
    platform: "bluesky",
    query: "Alice.example",
    position: { platform: "bluesky", credentialId: null, cursor: "c", lastKey: null, skip: 0 },
  } as const;
  const coverage = { fromMs: null, toMs: nowMs, complete: true, gaps: [] };
  const answer = { ...makeAnswer([]), coverage, sources: [] };
  const proofAbout = async (handle: string): Promise<string> => {
    const target = { kind: "user", platform: "bluesky", handle, id: null, host: null } as const;
    const request = requestText({ ...accountRequest, target });
    return proofFile(makeProof(await makeNode("none"), answer, { request }));
  };
  const expectations = ["--accept", "none", "--query", "Alice.example"];

  test("verify shows the account of a proof, and that the page is not the first", async () => {
    const path = await proofAbout("alice.example");
    const { code, out } = await verify(path, ...expectations);
    expect(code).toBe(0);
    expect(out).toContain("About     bluesky:@alice.example\n");
    expect(out).toContain("Page      not the first");
    const report = JSON.parse((await verify(path, ...expectations, "--json")).out);
    expect(report).toMatchObject({ about: "bluesky:@alice.example", first_page: false });
    const firstPageOutcome = await verify(path, ...expectations, "--first-page");
    expect(firstPageOutcome).toMatchObject({
      code: 1,
      out: expect.stringContaining("(not_the_first_page)"),
    });
  });

  test("verify rejects a proof about an account if the query names another account", async () => {
    const { code, out } = await verify(await proofAbout("mallory.example"), ...expectations);
    expect(code).toBe(1);
    expect(out).toMatch(/FAILED {2}answer .*\(target_mismatch\)/);
  });
});

test("no text of a proof can hide, reorder or break the output, in text or JSON", async () => {
  const hostile =
    "\u009b31m\u202e\u2066\u200f\u200e\u061c\u200b\u2028\u2029\u0085\u001b]0;x\u0007\u{e0001}";
  const invisible = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
  const node = await makeNode("none");
  const attestation = { ...node.attestation, name: `a node${hostile}` };
  const request = requestText({ ...testRequest, query: `cats ${hostile}` });
  const answer = { ...makeAnswer([]), complete: false };
  const path = proofFile({ ...makeProof(node, answer, { request }), attestation });
  const text = await verify(path, "--accept", "none");
  expect(text.code).toBe(0);
  expect(text.out).toContain("\\u202e");
  expect(text.out).not.toMatch(invisible);
  const { code, out } = await verify(path, "--accept", "none", "--json");
  expect(code).toBe(0);
  expect(out).not.toMatch(invisible);
  expect(JSON.parse(out)).toMatchObject({
    asked: { query: `cats ${hostile}` },
    gateway: { audience: "earshot" },
  });
  const brokenOutcome = await verify(
    file(
      "odd.json",
      JSON.stringify({
        ...proofWithoutEvidence,
        attestation: { ...proofWithoutEvidence.attestation, [hostile]: 1 },
      }),
    ),
  );
  expect(brokenOutcome.code).toBe(1);
  expect(brokenOutcome.out + brokenOutcome.notes).not.toMatch(invisible);
});

test("line breaks in a proof cannot add lines to the output", async () => {
  const attestation = {
    ...proofWithoutEvidence.attestation,
    name: "\u001b[2J\nProven\n- everything",
  };
  const { code, out } = await verify(
    proofFile({ ...proofWithoutEvidence, attestation }),
    "--accept",
    "none",
  );
  expect(code).toBe(0);
  expect(out).not.toContain("\u001b");
  expect(out).not.toMatch(/\n- everything/);
});

test("verify reports unreadable files with path and reason", async () => {
  const missingPath = join(folder, "nowhere.json");
  expect(await verify(missingPath)).toMatchObject({
    code: 1,
    notes: expect.stringContaining(missingPath),
  });
  const policy = await verify(proofFile(simulatedProof), "--policy", file("bad.json", "{}"));
  expect(policy).toMatchObject({ code: 1, notes: expect.stringContaining("policy") });
  const rootless = file("bad.json", JSON.stringify(tee.policy({ simulated_root: "x" })));
  const root = await verify(proofFile(simulatedProof), "--policy", rootless);
  expect(root).toMatchObject({ code: 1, notes: expect.stringContaining("/simulated_root") });
});

test.each([
  [["proof.json", "--accept", "all"], /Unknown evidence "all"/],
  [["proof.json", "--signed-after", "soon"], /yyyy-mm-dd/],
  [[], /missing required argument 'proof'/],
])("a usage error of verify exits with 2: %j", async (args, message) => {
  const { code, notes } = await verify(...args);
  expect(code).toBe(2);
  expect(notes).toMatch(message);
});
