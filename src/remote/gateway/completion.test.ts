import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import type { FetchPosition } from "../../platforms/upstream.ts";
import { encryptAnswer } from "../protocol/encrypted-answer.ts";
import {
  answerWith,
  complete,
  makeEncryptedAnswer,
  makeEncryptedFailure,
  postAt,
} from "./answers.test-support.ts";
import { failedCheck, startTestGateway, type TestGateway } from "./gateway.test-support.ts";
import {
  admitNode,
  attest,
  leaseAndOpen,
  leaseJob,
  makeNodeSession,
  type OpenedJob,
  type TestNode,
} from "./node.test-support.ts";

let service: TestGateway;
let node: TestNode;

beforeEach(async () => {
  service = await startTestGateway();
  node = await admitNode(service);
});

afterEach(() => service.close());

async function getJob(owner: TestNode): Promise<{ uuid: string; job: OpenedJob }> {
  const uuid = service.queue.add();
  return { uuid, job: await leaseAndOpen(service, owner) };
}

test("a node's answer is stored with its signature", async () => {
  const { uuid, job } = await getJob(node);
  await complete(service, node, job, answerWith([postAt(7), postAt(5)]));
  const { result } = service.queue.job(uuid);
  expect(result).toMatchObject({
    items: [postAt(7), postAt(5)],
    complete: true,
    signature: {
      nodeId: node.id,
      keyId: node.keyId,
      attestationId: node.attestationId,
      evidence: "none",
      request: job.request,
    },
  });
  expect(service.gateway.nodes()).toMatchObject([{ jobsDone: 1, jobsFailed: 0, running: 0 }]);
  await service.clock.advance(10_000);
  expect(await service.store.read("node", { id: node.id })).toMatchObject({ jobsDone: 1 });
});

test("a node's job counts survive a restart", async () => {
  const { job } = await getJob(node);
  await complete(service, node, job);
  await service.restart();
  expect(service.gateway.nodes()).toMatchObject([{ jobsDone: 1 }]);
});

describe("an invalid answer is refused, and its job is retried:", () => {
  type Forgery = [string, string, (job: OpenedJob, other: TestNode) => Promise<unknown>];
  const forgeries: Forgery[] = [
    [
      "it is signed with another key",
      "bad_signature",
      async (job, other) => complete(service, node, job, answerWith([]), {}, other),
    ],
    [
      "it is for another job",
      "other_job",
      (job) =>
        complete(service, node, job, undefined, { job: "3c1d3a60-7a5b-4b34-9bd0-5cf3bfe2a001" }),
    ],
    [
      "it is for another request",
      "request_digest",
      (job) => complete(service, node, job, undefined, { request: `${job.request} ` }),
    ],
    [
      "it claims other evidence",
      "other_evidence",
      (job) => complete(service, node, job, undefined, { evidence: "tdx" }),
    ],
    [
      "it names an unknown attestation",
      "other_attestation",
      (job) => complete(service, node, job, undefined, { attestationId: "A".repeat(43) }),
    ],
    [
      "it names another quote",
      "other_quote",
      (job) => complete(service, node, job, undefined, { quoteSha256: Buffer.alloc(32) }),
    ],
    [
      "it names another key",
      "other_key",
      (job) => complete(service, node, job, undefined, { keyId: "A".repeat(22) }),
    ],
    [
      "it was signed before it was requested",
      "other_time",
      (job) => complete(service, node, job, undefined, { nowMs: service.clock.now() - 70_000 }),
    ],
    [
      "it was signed in the future",
      "other_time",
      (job) => complete(service, node, job, undefined, { nowMs: service.clock.now() + 70_000 }),
    ],
    [
      "its items are out of order",
      "out_of_order",
      (job) => complete(service, node, job, answerWith([postAt(5), postAt(7)])),
    ],
    [
      "it contains more than was requested",
      "too_many_items",
      (job) =>
        complete(
          service,
          node,
          job,
          answerWith([...Array(11).keys()].map((at) => postAt(9 - at / 2))),
        ),
    ],
    [
      "it is garbage",
      "malformed",
      (job) =>
        service.gateway.completion.complete(makeNodeSession(service, node, "complete"), {
          job: job.envelope.job,
          token: job.token,
          ...encryptAnswer(job.answerKey, Buffer.from("garbage")),
        }),
    ],
    [
      "it cannot be decrypted",
      "not_openable",
      (job) =>
        service.gateway.completion.complete(makeNodeSession(service, node, "complete"), {
          ...makeEncryptedAnswer(service, node, job),
          nonce: "A".repeat(16),
        }),
    ],
  ];

  test.for(forgeries)(
    "an invalid answer is refused, and its job is retried: %s",
    async ([, check, sendForged]) => {
      const { uuid, job } = await getJob(node);
      const other = await admitNode(service, { capabilities: [] });
      expect(await failedCheck(() => sendForged(job, other))).toBe(`node_answer_refused ${check}`);
      expect(service.queue.job(uuid)).toMatchObject({
        result: null,
        lease: null,
        failures: [{ code: "node_answer_refused", retryable: true }],
      });
      expect(service.reports).toContain(`refused ${check}`);
      expect(await failedCheck(() => complete(service, node, job))).toBe("lease_lost");
      expect(service.gateway.nodes()[0]).toMatchObject({ jobsDone: 0, state: "approved" });
    },
  );
});

test("at most two answers per leased job are read at a time", async () => {
  const run = makeNodeSession(service, node);
  expect(await failedCheck(async () => service.gateway.completion.begin(run))).toBe("lease_lost");
  await getJob(node);
  service.gateway.completion.begin(run);
  const end = service.gateway.completion.begin(run);
  expect(await failedCheck(async () => service.gateway.completion.begin(run))).toBe("lease_lost");
  end();
  end();
  service.gateway.completion.begin(run);
  expect(await failedCheck(async () => service.gateway.completion.begin(run))).toBe("lease_lost");
});

test("an answer signed under an earlier attestation of the same run is accepted", async () => {
  const { uuid, job } = await getJob(node);
  const earlierId = node.attestationId;
  const answer = makeEncryptedAnswer(service, node, job);
  await attest(service, node);
  expect(node.attestationId).not.toBe(earlierId);
  await service.gateway.completion.complete(makeNodeSession(service, node, "complete"), answer);
  expect(service.queue.job(uuid).result).toMatchObject({ signature: { attestationId: earlierId } });
});

test("a job can be completed and renewed only by the node that leased it, with the lease's token", async () => {
  const other = await admitNode(service);
  const { uuid, job } = await getJob(node);
  const answer = makeEncryptedAnswer(service, node, job);
  const submit = (owner: TestNode, change = {}) =>
    failedCheck(() =>
      service.gateway.completion.complete(makeNodeSession(service, owner, "complete"), {
        ...answer,
        ...change,
      }),
    );
  expect(await submit(other)).toBe("lease_lost");
  expect(await submit(node, { token: "3c1d3a60-7a5b-4b34-9bd0-5cf3bfe2a001" })).toBe("lease_lost");
  expect(await submit(node, { job: "3c1d3a60-7a5b-4b34-9bd0-5cf3bfe2a001" })).toBe("lease_lost");
  expect(
    await failedCheck(() =>
      service.gateway.completion.renew(
        makeNodeSession(service, other),
        job.envelope.job,
        job.token,
      ),
    ),
  ).toBe("lease_lost");
  expect(await submit(node)).toBe("nothing failed");
  expect(service.queue.job(uuid).result).not.toBeNull();
  expect(service.gateway.nodes().map(({ state }) => state)).toEqual(["approved", "approved"]);
});

test("an answer that could not be stored is accepted when it is sent again", async () => {
  const { uuid, job } = await getJob(node);
  service.queue.failWith(
    new EarshotError("store_unavailable", "the store is unavailable", { status: 503 }),
  );
  const answer = makeEncryptedAnswer(service, node, job);
  const submit = () =>
    service.gateway.completion.complete(makeNodeSession(service, node, "complete"), answer);
  expect(await failedCheck(submit)).toBe("store_unavailable");
  service.queue.failWith(null);
  await submit();
  expect(service.queue.job(uuid).result).not.toBeNull();
  expect(await failedCheck(submit)).toBe("lease_lost");
});

test("of two concurrent answers for one lease, exactly one is accepted", async () => {
  const { job } = await getJob(node);
  const answers = [
    makeEncryptedAnswer(service, node, job),
    makeEncryptedAnswer(service, node, job),
  ];
  const outcomes = await Promise.all(
    answers.map((answer) =>
      failedCheck(() =>
        service.gateway.completion.complete(makeNodeSession(service, node, "complete"), answer),
      ),
    ),
  );
  expect(outcomes).toEqual(["nothing failed", "lease_lost"]);
  expect(service.gateway.nodes()).toMatchObject([{ jobsDone: 1 }]);
});

test("a failure that a node reports is stored without a penalty", async () => {
  for (let times = 1; times <= 5; times += 1) {
    const { uuid, job } = await getJob(node);
    await service.gateway.completion.fail(
      makeNodeSession(service, node, "fail"),
      makeEncryptedFailure(job),
    );
    expect(service.queue.job(uuid).failures).toMatchObject([{ code: "upstream_failed" }]);
    service.queue.remove(uuid);
    await service.clock.advance(1_000);
  }
  expect(service.gateway.nodes()).toMatchObject([{ jobsFailed: 5, state: "approved" }]);
});

test("an answer is not accepted as a failure", async () => {
  const first = await getJob(node);
  const answerAsFailure = makeEncryptedAnswer(service, node, first.job);
  expect(
    await failedCheck(() =>
      service.gateway.completion.fail(makeNodeSession(service, node, "fail"), answerAsFailure),
    ),
  ).toBe("node_answer_refused malformed");
});

test("a lease can be renewed until it is lost", async () => {
  const { uuid, job } = await getJob(node);
  const renew = () =>
    service.gateway.completion.renew(makeNodeSession(service, node, "renew"), uuid, job.token);
  expect(await renew()).toBe(30_000);
  service.queue.loseLease(uuid);
  expect(await failedCheck(renew)).toBe("lease_lost");
});

test("no lease is renewed after the attestation has expired", async () => {
  const { uuid, job } = await getJob(node);
  const session = makeNodeSession(service, node, "renew");
  await service.clock.advance(3_600_000);
  expect(await failedCheck(() => service.gateway.completion.renew(session, uuid, job.token))).toBe(
    "node_unauthorized attestation_ended",
  );
});

test("the gateway binds the continuation of a method to the node with the credential", async () => {
  const capabilities = [{ platform: "x", method: "gettweets", ways: ["credential"] }] as const;
  const getter = await admitNode(service, { capabilities });
  const twin = await admitNode(service, { capabilities });
  const target = { kind: "user", platform: "x", id: "1", handle: null, host: null } as const;
  const work = { method: "gettweets", query: "1", target } as const;
  const uuid = service.queue.add(work);
  const job = await leaseAndOpen(service, getter, "gettweets");
  const nextPosition: FetchPosition = {
    platform: "x",
    credentialId: "c1",
    cursor: "next",
    lastKey: null,
    skip: 0,
  };
  await complete(service, getter, job, answerWith([postAt(5)], { nextPosition }));
  expect(service.queue.job(uuid).result?.nextPosition).toEqual({
    ...nextPosition,
    nodeId: getter.id,
  });
  const nextUuid = service.queue.add({ ...work, position: { ...nextPosition, nodeId: getter.id } });
  expect(await leaseJob(service, twin, { method: "gettweets" })).toBeNull();
  expect(await leaseJob(service, getter, { method: "gettweets" })).toMatchObject({ job: nextUuid });
});
