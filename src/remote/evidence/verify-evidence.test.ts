import { describe, expect, test } from "vitest";
import {
  collateral,
  evidence,
  nowMs,
  statement,
  tee,
  verdictOn,
} from "../../../testkit/nodes/evidence-under-test.ts";
import { EarshotError } from "../../lib/errors.ts";
import { hashReportData, type NodeStatement } from "../protocol/statement.ts";
import { hashPolicy } from "./policy.ts";
import { bootLog } from "./simulated/simulated-tee.ts";
import { createEvidenceVerifier } from "./verify-evidence.ts";

const noEvidence = { quote: null, event_log: null, vm_config: null };
const evidenceFor = (changedStatement: NodeStatement) =>
  tee.evidence(hashReportData(changedStatement));

test("verification returns the facts of valid evidence and the policy id", async () => {
  const policy = tee.policy();
  const verify = createEvidenceVerifier({
    acceptedKinds: ["simulated"],
    policy,
    collateral: () => Promise.resolve(collateral),
  });
  const { verified, collateral: usedCollateral } = await verify(statement, evidence, nowMs);
  expect(usedCollateral).toBe(collateral);
  expect(verified).toMatchObject({
    kind: "simulated",
    composeHash: tee.composeHash,
    image: "simulated",
    isListedPlatform: true,
    policyId: hashPolicy(policy),
    facts: {
      tcbStatus: "UpToDate",
      advisories: [],
      fmspc: "00906ea10000",
      platformInstanceId: policy.platforms?.[0],
      tcbEvaluationNumber: 18,
      reportData: hashReportData(statement).toString("hex"),
    },
  });
  expect(verified.facts?.collateralUntilMs).toBe(nowMs + 365 * 86_400_000);
});

describe("evidence for one statement is refused for another", () => {
  const otherValue = Buffer.alloc(32, 9).toString("base64url");
  test.each([
    ["audience", "another"],
    ["nonce", otherValue],
    ["identity_key", otherValue],
    ["signing_key", otherValue],
    ["sealing_key", otherValue],
    ["boot_id", otherValue],
    ["gateway_key", otherValue],
    ["version", 2],
  ])("evidence for one statement is refused for one with another %s", async (name, value) => {
    expect(await verdictOn({ statement: { ...statement, [name]: value } as NodeStatement })).toBe(
      "report_data",
    );
  });

  test("evidence is refused for a statement with text moved between two fields", async () => {
    const shiftedStatement = {
      ...statement,
      audience: `${statement.audience}A`,
      nonce: statement.nonce.slice(1),
    };
    expect(await verdictOn({ statement: shiftedStatement })).toBe("report_data");
  });

  test("evidence without a quote is refused", async () => {
    expect(await verdictOn({ evidence: { ...evidence, quote: null } })).toBe("quote_missing");
  });
});

describe("no kind of evidence is accepted as another", () => {
  const statementWith = (kind: NodeStatement["evidence"]) => ({ ...statement, evidence: kind });

  test("simulated evidence declared as TDX does not lead to Intel's root", async () => {
    const tdxStatement = statementWith("tdx");
    const accepted = ["tdx", "simulated", "none"] as const;
    expect(
      await verdictOn({ statement: tdxStatement, evidence: evidenceFor(tdxStatement), accepted }),
    ).toBe("chain_root");
  });

  test("simulated evidence is refused unless accepted", async () => {
    expect(await verdictOn({ accepted: ["tdx"] })).toBe("kind_not_accepted");
    expect(await verdictOn({ accepted: ["tdx", "none"] })).toBe("kind_not_accepted");
    expect(await verdictOn({ accepted: [] })).toBe("kind_not_accepted");
  });

  test("the declared kind of evidence cannot be changed after the quote", async () => {
    expect(await verdictOn({ statement: statementWith("tdx"), accepted: ["tdx"] })).toBe(
      "chain_root",
    );
  });

  test("TDX and simulated evidence without a quote are refused", async () => {
    const accepted = ["tdx", "simulated", "none"] as const;
    expect(
      await verdictOn({ statement: statementWith("tdx"), evidence: noEvidence, accepted }),
    ).toBe("quote_missing");
    expect(
      await verdictOn({ statement: statementWith("simulated"), evidence: noEvidence, accepted }),
    ).toBe("quote_missing");
  });

  test("evidence of kind none is refused if it contains any evidence", async () => {
    const noneInput = { statement: statementWith("none"), evidence: noEvidence };
    expect(await verdictOn({ ...noneInput, accepted: ["none"], policy: null })).toBe("accepted");
    expect(await verdictOn({ ...noneInput, accepted: ["tdx", "simulated"] })).toBe(
      "kind_not_accepted",
    );
    for (const name of ["quote", "event_log", "vm_config"] as const) {
      const unexpectedEvidence = { ...noEvidence, [name]: "00" };
      expect(
        await verdictOn({ ...noneInput, evidence: unexpectedEvidence, accepted: ["none"] }),
      ).toBe("evidence_unexpected");
    }
  });

  test("evidence of kind none proves nothing", async () => {
    const verify = createEvidenceVerifier({
      acceptedKinds: ["none"],
      policy: null,
      collateral: null,
    });
    expect(await verify(statementWith("none"), noEvidence, nowMs)).toEqual({
      verified: {
        kind: "none",
        facts: null,
        composeHash: null,
        image: null,
        isListedPlatform: false,
        policyId: "none",
      },
      collateral: null,
    });
  });
});

describe("a gateway without configuration for quotes refuses them and reports what is missing", () => {
  test("a gateway without a policy, or without the root of simulated quotes, refuses quotes and reports what is missing", async () => {
    expect(await verdictOn({ policy: null })).toBe("policy_missing");
    const { simulated_root: _root, ...policy } = tee.policy();
    expect(await verdictOn({ policy })).toBe("simulated_root_missing");
  });

  test("a gateway without a collateral source refuses quotes and reports what is missing", async () => {
    const verify = createEvidenceVerifier({
      acceptedKinds: ["simulated"],
      policy: tee.policy(),
      collateral: null,
    });
    await expect(verify(statement, evidence, nowMs)).rejects.toMatchObject({
      code: "evidence_refused",
      hint: "set EARSHOT_NODES_COLLATERAL",
      details: [{ code: "collateral_missing" }],
    });
  });
});

test("collateral is not fetched before the machine has signed for this statement", async () => {
  let requestCount = 0;
  const verify = createEvidenceVerifier({
    acceptedKinds: ["simulated"],
    policy: tee.policy(),
    collateral: () => {
      requestCount += 1;
      return Promise.reject(
        new EarshotError("collateral_unavailable", "none", { retryable: true }),
      );
    },
  });
  const staleStatement = { ...statement, nonce: statement.identity_key };
  await expect(verify(staleStatement, evidence, nowMs)).rejects.toMatchObject({
    code: "evidence_refused",
  });
  expect(requestCount).toBe(0);
  await expect(verify(statement, evidence, nowMs)).rejects.toMatchObject({
    code: "collateral_unavailable",
    retryable: true,
  });
  expect(requestCount).toBe(1);
});

test("evidence without an event log is accepted if the policy names RTMR3", async () => {
  const evidenceWithoutLog = { ...evidence, event_log: null };
  expect(await verdictOn({ evidence: evidenceWithoutLog })).toBe("app_not_measured");
  const [image] = tee.policy().images;
  const rtmr3 = Buffer.from(evidence.quote ?? "", "hex")
    .subarray(520, 568)
    .toString("hex");
  const policy = tee.policy({ images: image === undefined ? [] : [{ ...image, rtmr3 }] });
  expect(await verdictOn({ evidence: evidenceWithoutLog, policy })).toBe("accepted");
});

test("evidence of a machine with an unlisted key provider is refused", async () => {
  expect(await verdictOn({ policy: tee.policy({ key_providers: [{ name: "kms" }] }) })).toBe(
    "key_provider_unknown",
  );
  const events = bootLog(tee.composeHash).filter(({ event }) => event !== "key-provider");
  const evidenceWithoutProvider = tee.evidence(hashReportData(statement), { events });
  expect(await verdictOn({ evidence: evidenceWithoutProvider })).toBe("key_provider_unknown");
});

test("the verification of evidence yields to the event loop", async () => {
  // CPU time between yields, whatever the machine's load.
  const busyMs: number[] = [];
  let { user } = process.threadCpuUsage();
  let isOver = false;
  const watch = () => {
    const { user: spent } = process.threadCpuUsage();
    busyMs.push((spent - user) / 1000);
    user = spent;
    if (!isOver) setImmediate(watch);
  };
  watch();
  for (let times = 0; times < 10; times += 1) await verdictOn({});
  isOver = true;
  expect(busyMs.length).toBeGreaterThan(15);
  expect(Math.max(...busyMs)).toBeLessThan(50);
});
