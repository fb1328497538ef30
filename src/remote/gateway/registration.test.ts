import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { enrolmentField, enrolmentProof, makeEnrolmentToken } from "../protocol/enrolment.ts";
import { makeSigningKey } from "../protocol/keys.ts";
import {
  failedCheck,
  makeQuoteFacts,
  refusal,
  startTestGateway,
  type TestGateway,
  testToken,
} from "./gateway.test-support.ts";
import {
  admitNode,
  attest,
  leaseAndOpen,
  leaseJob,
  makeNode,
  makeNodeSession,
  makeRegistration,
  signedNodeRequest,
  type TestNode,
} from "./node.test-support.ts";

let service: TestGateway;

beforeEach(async () => {
  service = await startTestGateway();
});

afterEach(() => service.close());

const nodes = () => service.store.read("nodes", null);

describe("a nonce", () => {
  test("a nonce is consumed even if its registration is refused", async () => {
    const node = await makeNode();
    const { nonce } = service.gateway.challenge();
    const tamperedRegistration = makeRegistration(service, node, nonce, { audience: "another" });
    const validRegistration = makeRegistration(service, node, nonce);
    const register = (registration: typeof validRegistration) =>
      failedCheck(() => service.gateway.register(registration, node.address));
    expect(await register(tamperedRegistration)).toBe("node_refused other_audience");
    expect(await register(validRegistration)).toBe("node_refused challenge_unknown");
  });

  test("a nonce that is unknown or expired is refused", async () => {
    const node = await makeNode();
    const registration = makeRegistration(service, node, "A".repeat(43));
    expect(await failedCheck(() => service.gateway.register(registration, node.address))).toBe(
      "node_refused challenge_unknown",
    );
    const { nonce } = service.gateway.challenge();
    await service.clock.advance(60_000);
    const lateRegistration = makeRegistration(service, node, nonce);
    expect(await failedCheck(() => service.gateway.register(lateRegistration, node.address))).toBe(
      "node_refused challenge_ended",
    );
  });
});

test.for([
  ["another audience", { audience: "other" }, "other_audience"],
  ["another gateway's key", { gateway_key: "A".repeat(43) }, "other_gateway"],
] as const)("a statement for %s is refused", async ([, change, check]) => {
  const node = await makeNode();
  const { nonce } = service.gateway.challenge();
  const registration = makeRegistration(service, node, nonce, change);
  expect(await failedCheck(() => service.gateway.register(registration, node.address))).toBe(
    `node_refused ${check}`,
  );
});

test("a statement without a valid identity signature is refused before its evidence is verified", async () => {
  let verifyCount = 0;
  service.verify = async () => {
    verifyCount += 1;
    return {};
  };
  const victim = await admitNode(service);
  const countBefore = verifyCount;
  const thief = await makeNode();
  const { nonce } = service.gateway.challenge();
  const registration = makeRegistration(service, thief, nonce, {
    identity_key: victim.identity.publicKey,
  });
  expect(await failedCheck(() => service.gateway.register(registration, "192.0.2.9"))).toBe(
    "node_refused bad_identity_signature",
  );
  expect(verifyCount).toBe(countBefore);
  expect(makeNodeSession(service, victim)).toMatchObject({ nodeId: victim.id });
});

test("evidence of a kind that is not accepted is refused before it is verified", async () => {
  const strictService = await startTestGateway({ evidence: ["tdx"] });
  strictService.verify = async () => {
    throw new Error("it was verified");
  };
  for (const evidence of ["none", "simulated"] as const) {
    const node = await makeNode({ evidence });
    expect(await failedCheck(() => attest(strictService, node))).toBe(
      "node_refused kind_not_accepted",
    );
  }
  await strictService.close();
});

test("a transient verification failure is reported as unavailable, not as a refusal", async () => {
  service.verify = async () => {
    throw new EarshotError("collateral_unavailable", "no answer", { status: 503, retryable: true });
  };
  const node = await makeNode({ evidence: "tdx" });
  await expect(attest(service, node)).rejects.toMatchObject({
    code: "unavailable",
    status: 503,
    retryable: true,
    details: [{ code: "collateral_unavailable" }],
  });
});

test("a refusal by the verifier names its check and is logged", async () => {
  service.verify = async () => {
    throw refusal("tcb_status", "the machine is out of date\u001b[31m\nsecond line");
  };
  const node = await makeNode({ evidence: "tdx" });
  expect(await failedCheck(() => attest(service, node))).toBe("node_refused tcb_status");
  await service.clock.advance(1_000);
  const events = await service.store.read("nodeEvents", { limit: 10 });
  expect(events).toMatchObject([{ action: "refused", nodeId: node.id }]);
  expect(events[0]?.detail).toBe(
    "tcb_status: the machine is out of date[31m second line (192.0.2.1)",
  );
  expect(service.reports).toEqual(["registration refused"]);
  expect(await nodes()).toEqual([]);
});

describe("a refusal", () => {
  const refusals = async () =>
    (await service.store.read("nodeEvents", { limit: 1_000 })).filter(
      ({ action }) => action === "refused",
    );

  test("a repeated refusal is logged at most once in ten minutes", async () => {
    const knownNode = await admitNode(service);
    await service.change(knownNode.id, "removed");
    for (let index = 0; index < 40; index += 1) {
      await failedCheck(() => attest(service, knownNode));
      await service.clock.advance(10_000);
    }
    expect(await refusals()).toMatchObject([{ nodeId: knownNode.id }]);
    await service.clock.advance(600_000);
    await failedCheck(() => attest(service, knownNode));
    await service.clock.advance(1_000);
    expect(await refusals()).toHaveLength(2);
  });

  test("a refusal for another reason is logged too", async () => {
    const node = await admitNode(service, { evidence: "tdx" });
    const weakerRun = await makeNode({ identity: node.identity, evidence: "none" });
    await failedCheck(() => attest(service, weakerRun));
    service.verify = async () => ({ facts: makeQuoteFacts("machine-2") });
    await failedCheck(() => attest(service, node));
    await service.clock.advance(1_000);
    expect((await refusals()).map(({ detail }) => detail.split(":")[0])).toEqual([
      "machine_changed",
      "evidence_downgraded",
    ]);
  });
});

describe("a node without the enrolment token", () => {
  const request = async (node: TestNode, token: string | null, address = "192.0.2.9") => {
    const request = signedNodeRequest(service, node, "challenge");
    const input = request.headers["signature-input"] ?? "";
    const proof = token === null ? {} : { [enrolmentField]: enrolmentProof(token, input) };
    const headers = { ...request.headers, ...proof };
    return await failedCheck(() => service.gateway.requireEnrolled({ headers }, address));
  };

  test("a node without the enrolment token gets the same refusal for a missing, wrong or empty proof", async () => {
    const node = await makeNode();
    expect(await request(node, null)).toBe("node_refused not_enrolled");
    const otherToken = makeEnrolmentToken(Buffer.alloc(32, 8));
    expect(await request(node, otherToken)).toBe("node_refused not_enrolled");
    expect(await request(node, "")).toBe("node_refused not_enrolled");
    expect(await request(node, testToken)).toBe("nothing failed");
  });

  test("a node without the enrolment token cannot use another node's enrolment proof", async () => {
    const capturedInput =
      signedNodeRequest(service, await makeNode(), "challenge").headers["signature-input"] ?? "";
    const { headers } = signedNodeRequest(service, await makeNode(), "challenge");
    const stolenHeaders = {
      ...headers,
      [enrolmentField]: enrolmentProof(testToken, capturedInput),
    };
    expect(
      await failedCheck(() =>
        service.gateway.requireEnrolled({ headers: stolenHeaders }, "192.0.2.9"),
      ),
    ).toBe("node_refused not_enrolled");
  });

  test("refusals of nodes without the enrolment token are logged once for all addresses", async () => {
    const node = await makeNode();
    for (let index = 0; index < 200; index += 1) await request(node, null, `192.0.2.${index}`);
    await service.clock.advance(1_000);
    expect(await service.store.read("nodeEvents", { limit: 10 })).toHaveLength(1);
    expect(service.logEntries).toHaveLength(1);
  });
});

describe("an unknown node", () => {
  test("an unknown node waits for approval without a session, and is admitted after approval", async () => {
    const node = await makeNode();
    const first = await attest(service, node);
    expect(first).toMatchObject({ node_id: node.id, state: "pending" });
    expect(first.again_in_ms).toBeLessThanOrEqual(10_000);
    expect(await failedCheck(() => makeNodeSession(service, node))).toBe(
      "node_unauthorized unknown_key",
    );
    expect(await service.gateway.attestation(node.attestationId)).toBeNull();
    await service.change(node.id, "approved");
    const second = await attest(service, node);
    expect(second).toMatchObject({
      state: "admitted",
      valid_ms: 3_600_000,
      again_in_ms: 1_800_000,
    });
    expect(makeNodeSession(service, node)).toMatchObject({ nodeId: node.id, keyId: node.keyId });
    expect(await service.gateway.attestation(node.attestationId)).toMatchObject({
      id: node.attestationId,
      node_id: node.id,
      policy_id: "policy",
    });
  });

  test("an unknown node is admitted immediately if the policy lists its machine", async () => {
    service.verify = async () => ({ isListedPlatform: true });
    const node = await makeNode({ evidence: "tdx" });
    expect(await attest(service, node)).toMatchObject({ state: "admitted" });
    expect(await nodes()).toMatchObject([{ state: "approved", isListed: true, image: "image" }]);
  });

  test.each(["was removed", "is quarantined"])(
    "an unknown node waits for approval if another node on the same machine %s",
    async (fate) => {
      service.verify = async () => ({ isListedPlatform: true });
      const earlierNode = await admitNode(service, { evidence: "tdx" });
      if (fate === "was removed") await service.change(earlierNode.id, "removed");
      else {
        const nowMs = service.clock.now();
        const quarantine = {
          id: earlierNode.id,
          untilMs: nowMs + 600_000,
          reason: "errors",
          nowMs,
        };
        await service.store.write("quarantineNode", quarantine);
      }
      const newNode = await makeNode({ evidence: "tdx" });
      await service.clock.advance(100);
      expect(await attest(service, newNode)).toMatchObject({ state: "pending" });
      await service.clock.advance(100);
      expect(await attest(service, newNode)).toMatchObject({ state: "pending" });
      await service.clock.advance(1_000);
      const [event] = await service.store.read("nodeEvents", { limit: 1, nodeId: newNode.id });
      expect(event?.detail).toContain(`node ${earlierNode.id} on the same machine ${fate}`);
      await service.change(newNode.id, "approved");
      expect(await attest(service, newNode)).toMatchObject({ state: "admitted" });
    },
  );
});

test("a removed node is refused, even after the gateway restarts", async () => {
  const node = await admitNode(service);
  await service.change(node.id, "removed");
  expect(await failedCheck(() => makeNodeSession(service, node))).toBe(
    "node_unauthorized unknown_key",
  );
  const newRun = await makeNode({ identity: node.identity });
  expect(await failedCheck(() => attest(service, newRun))).toBe("node_refused node_removed");
  await service.restart();
  expect(await failedCheck(() => attest(service, newRun))).toBe("node_refused node_removed");
  expect(service.gateway.nodes()).toEqual([]);
});

describe("an approval", () => {
  test("an approval does not extend to weaker evidence", async () => {
    const node = await admitNode(service, { evidence: "tdx" });
    const thief = await makeNode({ identity: node.identity, evidence: "none" });
    expect(await failedCheck(() => attest(service, thief))).toBe(
      "node_refused evidence_downgraded",
    );
    expect(makeNodeSession(service, node)).toMatchObject({ keyId: node.keyId });
    expect(await nodes()).toMatchObject([{ evidence: "tdx", state: "approved" }]);
  });

  test("an approval does not extend to another machine until the operator approves again", async () => {
    const node = await admitNode(service, { evidence: "tdx" });
    service.verify = async () => ({ facts: makeQuoteFacts("machine-2") });
    const movedRun = await makeNode({ identity: node.identity, evidence: "tdx" });
    expect(await failedCheck(() => attest(service, movedRun))).toBe("node_refused machine_changed");
    await service.change(node.id, "approved");
    expect(await attest(service, movedRun)).toMatchObject({ state: "admitted" });
    service.verify = async () => ({ facts: makeQuoteFacts("machine-1") });
    const returnedRun = await makeNode({ identity: node.identity, evidence: "tdx" });
    expect(await failedCheck(() => attest(service, returnedRun))).toBe(
      "node_refused machine_changed",
    );
  });

  test("an approval that ends a quarantine does not permit a move", async () => {
    const node = await admitNode(service, { evidence: "tdx" });
    const untilMs = service.clock.now() + 300_000;
    const quarantine = { id: node.id, untilMs, reason: "slow", nowMs: service.clock.now() };
    await service.store.write("quarantineNode", quarantine);
    await service.change(node.id, "approved");
    service.verify = async () => ({ facts: makeQuoteFacts("machine-2") });
    const movedRun = await makeNode({ identity: node.identity, evidence: "tdx" });
    expect(await failedCheck(() => attest(service, movedRun))).toBe("node_refused machine_changed");
  });

  test("an approval by the policy lapses when the policy no longer lists the machine", async () => {
    service.verify = async () => ({ isListedPlatform: true });
    const node = await makeNode({ evidence: "tdx" });
    expect(await attest(service, node)).toMatchObject({ state: "admitted" });
    service.verify = async () => ({});
    await service.restart();
    expect(await attest(service, node)).toMatchObject({ state: "pending" });
  });
});

test("another node identity with the same short id is refused", async () => {
  const node = await admitNode(service);
  service.database.run("UPDATE node SET identity_key = 'another'");
  const newRun = await makeNode({ identity: node.identity });
  expect(await failedCheck(() => attest(service, newRun))).toBe("node_refused other_identity");
});

describe("two runs of one node", () => {
  test("a later run of a node replaces the earlier one: its jobs are requeued with the attempt counted, and its keys are refused", async () => {
    const earlierRun = await admitNode(service);
    const job = service.queue.add();
    await leaseAndOpen(service, earlierRun);
    const laterRun = await makeNode({ identity: earlierRun.identity });
    expect(await attest(service, laterRun)).toMatchObject({ state: "admitted" });
    // The job may have crashed its node.
    expect(service.queue.job(job)).toMatchObject({ lease: null, deaths: 1 });
    expect(await failedCheck(() => makeNodeSession(service, earlierRun))).toBe(
      "node_unauthorized unknown_key",
    );
    expect(await failedCheck(() => attest(service, earlierRun))).toBe("node_refused superseded");
    await leaseAndOpen(service, laterRun);
    expect(service.gateway.nodes()).toMatchObject([{ keyId: laterRun.keyId, running: 1 }]);
  });

  test("of two runs of one node, the one with the later challenge wins, even if the other is verified last", async () => {
    const knownNode = await admitNode(service);
    const [slow, quick] = [
      await makeNode({ identity: knownNode.identity }),
      await makeNode({ identity: knownNode.identity }),
    ];
    const verification = Promise.withResolvers<Record<string, never>>();
    service.verify = () => verification.promise;
    const slowResult = failedCheck(() => attest(service, slow));
    await service.clock.advance(0);
    service.verify = async () => ({});
    expect(await attest(service, quick)).toMatchObject({ state: "admitted" });
    verification.resolve({});
    expect(await slowResult).toBe("node_refused superseded");
    expect(makeNodeSession(service, quick)).toMatchObject({ keyId: quick.keyId });
  });

  test("a replaced run's open lease request ends without a job", async () => {
    const earlierRun = await admitNode(service);
    const pendingLease = leaseJob(service, earlierRun, { waitMs: 20_000 });
    await attest(service, await makeNode({ identity: earlierRun.identity }));
    expect(await pendingLease).toBeNull();
    service.queue.add();
    expect(service.queue.jobs()[0]?.lease).toBeNull();
  });
});

test("the keys of a run belong to one node", async () => {
  const node = await admitNode(service);
  const copy = await makeNode({ identity: makeSigningKey(), keys: node.keys });
  expect(await failedCheck(() => attest(service, copy))).toBe("node_refused key_in_use");
  expect(makeNodeSession(service, node)).toMatchObject({ nodeId: node.id });
});

test("an attestation expires no later than its collateral", async () => {
  service.verify = async () => ({
    facts: makeQuoteFacts("machine-1", service.clock.now() + 1_000_000),
  });
  const node = await admitNode(service, { evidence: "tdx" });
  const { valid_ms: validMs } = await attest(service, node);
  expect(validMs).toBeLessThanOrEqual(1_000_000);
  await service.clock.advance(validMs - 1);
  expect(makeNodeSession(service, node)).toMatchObject({ keyId: node.keyId });
  await service.clock.advance(1);
  expect(await failedCheck(() => makeNodeSession(service, node))).toBe(
    "node_unauthorized attestation_ended",
  );
});

test("after a restart, run keys are unknown until the node attests", async () => {
  const node = await admitNode(service);
  await service.restart();
  expect(await failedCheck(() => makeNodeSession(service, node))).toBe(
    "node_unauthorized unknown_key",
  );
  expect(service.gateway.nodes()).toMatchObject([
    { id: node.id, state: "approved", isConnected: false, keyId: null },
  ]);
  expect(await attest(service, node)).toMatchObject({ state: "admitted" });
  expect(makeNodeSession(service, node)).toMatchObject({ keyId: node.keyId });
});

test("if more than a thousand challenges are open, the oldest is dropped", async () => {
  const node = await makeNode();
  const { nonce } = service.gateway.challenge();
  for (let index = 0; index < 1_000; index += 1) service.gateway.challenge();
  const registration = makeRegistration(service, node, nonce);
  expect(await failedCheck(() => service.gateway.register(registration, node.address))).toBe(
    "node_refused challenge_unknown",
  );
});

test("a node's name becomes one line without control characters, and need not be unique", async () => {
  const first = await makeNode({ name: "berlin\u001b[2J\n 1" });
  const second = await makeNode({ name: "berlin[2J 1" });
  await attest(service, first);
  await service.clock.advance(100);
  await attest(service, second);
  expect((await nodes()).map(({ name }) => name)).toEqual(["berlin[2J 1", "berlin[2J 1"]);
  await service.change(first.id, "approved");
  expect(await attest(service, second)).toMatchObject({ state: "pending" });
});
