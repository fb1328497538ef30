import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Attestation } from "../proof/read-proof.ts";
import { complete } from "./answers.test-support.ts";
import { authenticateNode } from "./authenticate.ts";
import { failedCheck, startTestGateway, type TestGateway } from "./gateway.test-support.ts";
import {
  admitNode,
  attest,
  leaseAndOpen,
  makeNode,
  makeNodeSession,
  makeRegistration,
  signedNodeRequest,
  type TestNode,
} from "./node.test-support.ts";
import { createRuns } from "./runs.ts";

let service: TestGateway;
let node: TestNode;

beforeEach(async () => {
  service = await startTestGateway();
  node = await admitNode(service);
});

afterEach(() => service.close());

test("a signed request of a node is accepted once", async () => {
  const request = signedNodeRequest(service, node, "lease");
  expect(service.gateway.authenticate(request)).toMatchObject({
    nodeId: node.id,
    keyId: node.keyId,
  });
  expect(await failedCheck(() => service.gateway.authenticate(request))).toBe(
    "node_unauthorized replayed",
  );
  await service.clock.advance(59_000);
  expect(await failedCheck(() => service.gateway.authenticate(request))).toBe(
    "node_unauthorized replayed",
  );
  await service.clock.advance(62_000);
  expect(await failedCheck(() => service.gateway.authenticate(request))).toBe(
    "node_unauthorized clock_skew",
  );
});

test.for([
  ["too old", 61_000],
  ["from the future", -61_000],
] as const)("a node's request that is %s is refused", async ([, lateMs]) => {
  const request = signedNodeRequest(service, node, "lease", { lateMs });
  expect(await failedCheck(() => service.gateway.authenticate(request))).toBe(
    "node_unauthorized clock_skew",
  );
});

test("a node's request from before the attestation is refused after the gateway restarts", async () => {
  const capturedRequest = signedNodeRequest(service, node, "leave");
  await service.clock.advance(1_000);
  await service.restart();
  await attest(service, node);
  expect(await failedCheck(() => service.gateway.authenticate(capturedRequest))).toBe(
    "node_unauthorized before_attestation",
  );
  expect(service.gateway.authenticate(signedNodeRequest(service, node, "lease"))).toMatchObject({
    nodeId: node.id,
  });
});

test("a node's request signed by another key is refused, and does not consume its nonce", async () => {
  const nonce = "n".repeat(22);
  const thief = { ...(await makeNode()), keyId: node.keyId };
  const forgedRequest = signedNodeRequest(service, thief, "lease", { nonce });
  expect(await failedCheck(() => service.gateway.authenticate(forgedRequest))).toBe(
    "node_unauthorized bad_signature",
  );
  expect(
    service.gateway.authenticate(signedNodeRequest(service, node, "lease", { nonce })),
  ).toMatchObject({
    keyId: node.keyId,
  });
});

test.for([
  ["another path", { path: "/internal/nodes/complete" }, "bad_signature"],
  ["another method", { method: "PUT" }, "bad_signature"],
  ["another body", { body: Buffer.from("{ }") }, "content_digest"],
  ["no signature", { headers: {} }, "not_signed"],
] as const)("a node's request with %s is refused", async ([, change, check]) => {
  const request = { ...signedNodeRequest(service, node, "lease"), ...change };
  expect(await failedCheck(() => service.gateway.authenticate(request))).toBe(
    `node_unauthorized ${check}`,
  );
});

test("a node's request is authenticated before its body is read", () => {
  const request = { ...signedNodeRequest(service, node, "complete"), body: null };
  expect(service.gateway.authenticate(request)).toMatchObject({ keyId: node.keyId });
});

describe("a run whose attestation has expired", () => {
  test("a run whose attestation has expired completes its jobs and gets no more", async () => {
    const uuid = service.queue.add();
    const job = await leaseAndOpen(service, node);
    await service.clock.advance(3_600_000);
    expect(await failedCheck(() => makeNodeSession(service, node, "lease"))).toBe(
      "node_unauthorized attestation_ended",
    );
    expect(await failedCheck(() => makeNodeSession(service, node, "renew"))).toBe(
      "node_unauthorized attestation_ended",
    );
    await complete(service, node, job);
    expect(service.queue.job(uuid).result).toMatchObject({ signature: { keyId: node.keyId } });
    expect(await failedCheck(() => makeNodeSession(service, node, "complete"))).toBe(
      "node_unauthorized attestation_ended",
    );
  });

  test("a run whose attestation has expired cannot complete a job that it lost", async () => {
    const uuid = service.queue.add();
    await leaseAndOpen(service, node);
    await service.clock.advance(3_600_000);
    service.queue.loseLease(uuid);
    expect(await failedCheck(() => makeNodeSession(service, node, "complete"))).toBe(
      "node_unauthorized attestation_ended",
    );
  });
});

test("a node's requests are refused when the nonce limit is reached", () => {
  const { clock } = service;
  const runs = createRuns(clock);
  const { keys, keyId, id: nodeId } = node;
  const { statement } = makeRegistration(service, node, "n");
  const attestation = { id: "a", statement } as Attestation;
  const attestedRun = { nodeId, keyId, attestation, releases: [], challenge: 1, validMs: 60_000 };
  const { run } = runs.admit(attestedRun);
  for (let index = 0; index < 20_000; index += 1) run.nonces.set(`${index}`, clock.elapsed() + 1);
  const authenticate = () =>
    authenticateNode(signedNodeRequest(service, { ...node, keys }, "lease"), { runs, clock });
  expect(authenticate).toThrow("too many requests");
  run.nonces.set("0", clock.elapsed());
  expect(authenticate()).toBe(run);
});
