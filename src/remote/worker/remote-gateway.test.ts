import { expect, test, vi } from "vitest";
import type { Position } from "../../archive/archive.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { SourceAnswer } from "../../platforms/source.ts";
import { decryptAnswer } from "../protocol/encrypted-answer.ts";
import { deriveGatewayKey } from "../protocol/keys.ts";
import { verifyResult } from "../protocol/signed-result.ts";
import { readFailure } from "../protocol/texts.ts";
import {
  aJob,
  anAttestation,
  aRequest,
  fakeGateway,
  makeSelf,
  refusal,
} from "./fake-gateway.test-support.ts";
import { unreachable } from "./gateway-errors.ts";
import { createRemoteGateway } from "./remote-gateway.ts";

const methods = ["searchbyquery"];
const self = await makeSelf();

const record = JSON.stringify({
  ID: "3",
  Content: "a comet",
  Metadata: {
    platform: "bluesky",
    uri: "at://did:plc:a/app.bsky.feed.post/3",
    user_id: "did:plc:a",
  },
  Score: 1,
});

const sourceAnswer: SourceAnswer = {
  items: [{ platform: "bluesky", id: 3n }],
  next: null,
  complete: true,
  coverage: { fromMs: null, toMs: aRequest.toMs, complete: true, gaps: [] },
  sources: [],
  warnings: [],
};

function makeRemoteGateway() {
  const clock = createManualClock();
  const gateway = fakeGateway();
  const logged: Record<string, unknown>[] = [];
  const attestRequests: number[] = [];
  const attestation = anAttestation();
  const remote = createRemoteGateway({
    self,
    evidence: "none",
    link: gateway.link,
    attestLoop: {
      admitted: () => null,
      whenAdmitted: async () => attestation,
      attestAgain: (sentMs) => attestRequests.push(sentMs),
    },
    reachability: { waitOutBackoff: async () => true },
    archive: {
      records: async (positions: readonly Position[]) => ({
        records: positions.map(() => record),
        damage: [],
      }),
      withheld: async () => [],
    },
    clock,
    gatewayClock: clock,
    log: { warn: (fields) => logged.push(fields) },
  });

  async function leaseJob() {
    const job = await aJob(self, clock);
    gateway.responses.lease = () => job.envelope;
    const lease = await remote.lease({ nodeId: self.nodeId, methods }, 20_000);
    if (lease === null) throw new Error("no job was leased");
    return { ...job, lease };
  }

  return { clock, gateway, logged, attestRequests, remote, leaseJob };
}

test("an encrypted job becomes a lease, without the account", async () => {
  const { gateway, leaseJob } = makeRemoteGateway();
  const { job, token, lease } = await leaseJob();
  expect(lease).toMatchObject({
    uuid: job,
    token,
    attempt: 1,
    remainingMs: 120_000,
    leaseMs: 30_000,
    accountId: "",
    work: { ...aRequest, target: null, position: null },
  });
  expect(gateway.bodiesFor("lease")).toEqual([{ methods, wait_ms: 20_000 }]);
});

test("an answer has the node's archive records, signed with the attested key and encrypted to the gateway", async () => {
  const { gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, answerKey, request } = await leaseJob();
  gateway.responses.complete = () => null;
  await remote.complete(job, token, sourceAnswer);
  const [sealed] = gateway.bodiesFor("complete");
  expect(sealed).toMatchObject({ job, token });
  const plaintext = decryptAnswer(answerKey, {
    nonce: String(sealed?.nonce),
    sealed: String(sealed?.sealed),
  });
  expect(Buffer.from(plaintext).toString()).toContain(record);
  const head = JSON.parse(Buffer.from(plaintext).toString().split("\n")[0] ?? "");
  const { signingKey } = self.keys;
  const resultContent = { body: `[${record}]`, knowledge: head.knowledge, request, signingKey };
  expect(verifyResult(head.fields, resultContent)).toMatchObject({
    job,
    evidence: "none",
    keyId: self.keyId,
    attestationId: anAttestation().attestationId,
  });
  expect(remote.running()).toBe(0);
});

test("a failure is encrypted to the gateway", async () => {
  const { gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, answerKey } = await leaseJob();
  gateway.responses.fail = () => null;
  const failure = { code: "upstream_refused", message: "no", status: 502, retryable: false };
  await remote.fail(job, token, failure);
  const [sealed] = gateway.bodiesFor("fail");
  expect(
    readFailure(
      decryptAnswer(answerKey, { nonce: String(sealed?.nonce), sealed: String(sealed?.sealed) }),
    ),
  ).toEqual(failure);
});

test("a job signed by another gateway is not run, and the log contains only the failed check", async () => {
  const { clock, gateway, logged, remote } = makeRemoteGateway();
  const job = await aJob(self, clock, { gateway: deriveGatewayKey(Buffer.alloc(32, 8)) });
  gateway.responses.lease = () => job.envelope;
  expect(await remote.lease({ nodeId: self.nodeId, methods }, 1_000)).toBeNull();
  expect(logged).toEqual([{ code: "job_refused", check: "not_signed" }]);
});

test("a job runs once, regardless of how often it is sent", async () => {
  const { logged, remote, leaseJob } = makeRemoteGateway();
  await leaseJob();
  expect(await remote.lease({ nodeId: self.nodeId, methods }, 1_000)).toBeNull();
  expect(logged).toEqual([{ code: "job_refused", check: "replayed" }]);
});

test("a job outside its validity period is not run, and the node attests again to learn the gateway's clock", async () => {
  const { clock, gateway, attestRequests, remote } = makeRemoteGateway();
  const job = await aJob(self, clock, { nowMs: clock.now() - 600_000 });
  gateway.responses.lease = () => job.envelope;
  expect(await remote.lease({ nodeId: self.nodeId, methods }, 1_000)).toBeNull();
  expect(attestRequests).toHaveLength(1);
});

test.each([null, 7, {}, { version: 1 }])("a malformed envelope is not a job: %j", async (odd) => {
  const { clock, gateway, remote } = makeRemoteGateway();
  gateway.responses.lease = () => odd;
  const lease = remote.lease({ nodeId: self.nodeId, methods }, 1_000);
  await clock.advance(1_000);
  expect(await lease).toBeNull();
});

test("an unreadable request fails immediately, so that another node can read it", async () => {
  const { clock, gateway, remote } = makeRemoteGateway();
  const job = await aJob(self, clock, { request: '{"what":"ever"}' });
  gateway.responses.lease = () => job.envelope;
  gateway.responses.fail = () => null;
  expect(await remote.lease({ nodeId: self.nodeId, methods }, 1_000)).toBeNull();
  const [sealed] = gateway.bodiesFor("fail");
  const answer = { nonce: String(sealed?.nonce), sealed: String(sealed?.sealed) };
  expect(readFailure(decryptAnswer(job.answerKey, answer))).toMatchObject({
    code: "request_unreadable",
    retryable: true,
  });
});

test("lease requests have a minimum interval when the gateway immediately responds without work", async () => {
  const { clock, gateway, remote } = makeRemoteGateway();
  gateway.responses.lease = () => null;
  let hasEnded = false;
  const lease = remote.lease({ nodeId: self.nodeId, methods }, 20_000).then((value) => {
    hasEnded = true;
    return value;
  });
  await clock.advance(499);
  expect(hasEnded).toBe(false);
  await clock.advance(1);
  expect(await lease).toBeNull();
});

test("each free slot sends its own lease request, so that the gateway knows how many there are", async () => {
  const { gateway, remote } = makeRemoteGateway();
  gateway.responses.lease = () => new Promise(() => undefined);
  for (let slot = 0; slot < 3; slot += 1)
    void remote.lease({ nodeId: self.nodeId, methods }, 1_000);
  await vi.waitFor(() => expect(gateway.bodiesFor("lease")).toHaveLength(3));
});

test("an unreachable gateway yields no job and no error", async () => {
  const { clock, gateway, remote } = makeRemoteGateway();
  gateway.responses.lease = () => {
    throw unreachable("the connection was refused");
  };
  const lease = remote.lease({ nodeId: self.nodeId, methods }, 1_000);
  await clock.advance(1_000);
  expect(await lease).toBeNull();
});

test("an answer is resent unchanged until the gateway is reachable again, while the lease lasts", async () => {
  const { clock, gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token } = await leaseJob();
  let failures = 3;
  gateway.responses.complete = () => {
    failures -= 1;
    if (failures >= 0) throw unreachable("the connection was refused");
    return null;
  };
  const completion = remote.complete(job, token, sourceAnswer);
  while (gateway.bodiesFor("complete").length < 4) await clock.advance(250);
  await completion;
  expect(new Set(gateway.bodiesFor("complete").map((body) => JSON.stringify(body))).size).toBe(1);
});

test("an answer is dropped when the lease expires first", async () => {
  const { clock, gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, lease } = await leaseJob();
  gateway.responses.complete = () => {
    throw unreachable("the connection was refused");
  };
  const outcome = remote.complete(job, token, sourceAnswer).then(
    () => "completed",
    (error) => error.code,
  );
  for (let ms = 0; ms <= 31_000; ms += 250) await clock.advance(250);
  expect(await outcome).toBe("lease_lost");
  expect(lease.lostSignal.aborted).toBe(true);
  expect(remote.running()).toBe(0);
});

test("renewing a lease extends it", async () => {
  const { clock, gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token } = await leaseJob();
  gateway.responses.renew = () => ({ hold_ms: 30_000 });
  gateway.responses.complete = () => null;
  await clock.advance(29_000);
  expect(await remote.renew(job, token)).toBe(30_000);
  await clock.advance(29_000);
  await remote.complete(job, token, sourceAnswer);
  expect(gateway.bodiesFor("complete")).toHaveLength(1);
});

test("a lost lease aborts its work, and nothing is sent", async () => {
  const { gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, lease } = await leaseJob();
  gateway.responses.renew = () => {
    throw refusal("lease_lost", 409);
  };
  await expect(remote.renew(job, token)).rejects.toMatchObject({ code: "lease_lost" });
  expect(lease.lostSignal.aborted).toBe(true);
  await expect(remote.complete(job, token, sourceAnswer)).rejects.toMatchObject({
    code: "lease_lost",
  });
  expect(gateway.bodiesFor("complete")).toEqual([]);
});

test("a lease that expired while the process was suspended is dropped without a request", async () => {
  const { clock, gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, lease } = await leaseJob();
  await clock.suspend(30_000);
  await expect(remote.renew(job, token)).rejects.toMatchObject({ code: "lease_lost" });
  expect(lease.lostSignal.aborted).toBe(true);
  expect(gateway.bodiesFor("renew")).toEqual([]);
});

test("a result that is too large for the gateway fails its job without a retry", async () => {
  const { gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, answerKey } = await leaseJob();
  gateway.responses.complete = () => {
    throw refusal("body_too_large", 413);
  };
  gateway.responses.fail = () => null;
  await remote.complete(job, token, sourceAnswer);
  const [sealed] = gateway.bodiesFor("fail");
  const answer = { nonce: String(sealed?.nonce), sealed: String(sealed?.sealed) };
  expect(readFailure(decryptAnswer(answerKey, answer))).toMatchObject({
    code: "result_too_large",
    retryable: false,
  });
});

test("a refused answer is dropped, and the log contains only the failed check", async () => {
  const { gateway, logged, remote, leaseJob } = makeRemoteGateway();
  const { job, token } = await leaseJob();
  gateway.responses.complete = () => {
    throw refusal("node_answer_refused", 422, "id_twice");
  };
  await expect(remote.complete(job, token, sourceAnswer)).rejects.toMatchObject({
    code: "lease_lost",
  });
  expect(logged).toEqual([{ uuid: job, code: "node_answer_refused", check: "id_twice" }]);
  expect(remote.running()).toBe(0);
});

test("a node that stops immediately drops all leases", async () => {
  const { gateway, remote, leaseJob } = makeRemoteGateway();
  const { job, token, lease } = await leaseJob();
  remote.abortJobs();
  expect(lease.lostSignal.aborted).toBe(true);
  await expect(remote.complete(job, token, sourceAnswer)).rejects.toMatchObject({
    code: "lease_lost",
  });
  gateway.responses.leave = () => null;
  await remote.leave();
  expect(gateway.bodiesFor("leave")).toEqual([{}]);
});
