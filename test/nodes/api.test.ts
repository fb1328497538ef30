import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LightMyRequestResponse } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readPolicy } from "../../src/remote/evidence/policy.ts";
import {
  readSimulatedTee,
  type SimulatedFiles,
  writeSimulatedTee,
} from "../../src/remote/evidence/simulated/simulated-folder.ts";
import type { SimulatedTee } from "../../src/remote/evidence/simulated/simulated-tee.ts";
import { verifyProof } from "../../src/remote/proof/verify-proof.ts";
import { answerBytes } from "../../src/remote/protocol/answer.ts";
import { isGatewayResponse } from "../../src/remote/protocol/gateway-response.ts";
import { makeRunKeys } from "../../src/remote/protocol/keys.ts";
import { hashKeyId } from "../../src/remote/protocol/statement.ts";
import {
  encryptForGateway,
  type HandDrivenNode,
  handDrivenNode,
  makeItem,
  type StoredJob,
} from "../../testkit/nodes/hand-driven-node.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let folder: string;
let files: SimulatedFiles;
let tee: SimulatedTee;
let node: HandDrivenNode;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-test-"));
  files = await writeSimulatedTee(folder, Date.now());
  tee = await readSimulatedTee(files.tee);
  service = await startServiceUnderTest({
    EARSHOT_EMBEDDED_NODE: "off",
    EARSHOT_NODES_EVIDENCE: "tdx,simulated",
    EARSHOT_NODES_POLICY: files.policy,
    EARSHOT_NODES_COLLATERAL: files.collateralFolder,
    EARSHOT_NODES_DISPATCHES_PER_SECOND: "1000",
    EARSHOT_MAX_ATTEMPTS: "1",
    EARSHOT_MAX_RUNNING_PER_KEY: "100",
  });
  [key, node] = await Promise.all([service.makeKey(), openNode()]);
  await node.attest();
});
// Rejected answers would quarantine the node.
afterEach(() => service.context.directory.events.clearPenalties(node.nodeId));
afterAll(async () => {
  await service.remove();
  await rm(folder, { recursive: true });
});

function openNode(): Promise<HandDrivenNode> {
  const evidenceFor = (reportData: Uint8Array) => tee.evidence(reportData);
  return handDrivenNode(service, { evidence: "simulated", evidenceFor });
}

const get = (url: string, caller: string | null = key) =>
  service.call(caller, { method: "GET", url });

/** Submits a search and leases it. */
async function leaseJob(candidate = node): Promise<StoredJob> {
  const query = `comet OR ${randomUUID().slice(0, 8)}`;
  const submitted = await service.submit(key, search(query, { max_results: 3 }));
  expect(submitted.statusCode, submitted.body).toBe(202);
  return await candidate.lease();
}

const recentItems = (count: number, text?: string) =>
  Array.from({ length: count }, (_, index) => {
    const createdMs = service.clock.now() - 60_000 - index * 1_000;
    return makeItem((BigInt(createdMs) << 20n) + BigInt(count), createdMs, text);
  });

/** A job answered with two posts. */
async function answerJob() {
  const job = await leaseJob();
  const items = recentItems(2, 'a "comet" – über der Bucht');
  const completion = await node.complete(job, node.signAnswer(job, items));
  expect(completion.statusCode, completion.body).toBe(204);
  return { uuid: job.envelope.job, items };
}

const resultPath = (uuid: string) => `/v1/search/live/social/result/${uuid}`;

function expectRefusal(response: LightMyRequestResponse, code: string, check?: string) {
  expect(response.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  const { errors = [], ...problem } = response.json();
  expect({ code: problem.code, check: errors[0]?.code }, response.body).toEqual({ code, check });
}

describe("a job that a node ran", () => {
  test("a job that a node ran has a signature and a valid proof", async () => {
    const { uuid, items } = await answerJob();
    const result = await get(resultPath(uuid));
    expect(result.statusCode).toBe(200);
    expect(result.body).toBe(`[${items.map(({ record }) => record).join(",")}]`);
    expect(result.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-node": `"${node.nodeId}";evidence=simulated`,
      signature: expect.stringMatching(/^earshot=:/),
      "signature-input": expect.stringContaining(`keyid="${node.keyId}"`),
      "earshot-job": expect.stringContaining(`id="${uuid}"`),
    });
    const digest = createHash("sha256").update(result.rawPayload).digest("base64");
    expect(result.headers["content-digest"]).toBe(`sha-256=:${digest}:`);
    expect(result.headers).not.toHaveProperty("x-unsigned");

    const links = [...String(result.headers.link).matchAll(/<([^>]+)>; rel="(\w+)"/g)];
    expect(links.map(([, , rel]) => rel)).toEqual(["attestation", "proof"]);
    const [attestation, proof] = await Promise.all(links.map(([, url = ""]) => get(url)));
    expect(attestation?.json()).toEqual(proof?.json().attestation);
    const verdict = await verifyProof(proof?.body, {
      acceptedKinds: ["simulated"],
      policy: readPolicy(readFileSync(files.policy, "utf8")),
      nowMs: service.clock.now(),
      expected: { job: uuid, body: result.rawPayload },
    });
    expect(verdict.steps.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(verdict.holds).toBe(true);
  });

  test("a job that a node ran has node and evidence in its status, in the job list and in the headers of a search", async () => {
    const { uuid } = await answerJob();
    const status = (await get(`/v1/search/live/social/status/${uuid}`)).json();
    expect(status).toMatchObject({ node: node.nodeId, evidence: "simulated" });
    const { jobs } = (await get("/v1/search/live/social/jobs?limit=1")).json();
    expect(jobs[0]).toMatchObject({ uuid, node: node.nodeId, evidence: "simulated" });

    const requested = service.call(key, {
      method: "POST",
      url: "/v1/search/social",
      payload: search("comet"),
    });
    const job = await node.lease();
    await node.complete(job, node.signAnswer(job, recentItems(1)));
    const { headers } = await requested;
    expect(headers["x-node"]).toBe(`"${node.nodeId}";evidence=simulated`);
    expect(headers.link).toContain(`/result/${job.envelope.job}/proof>; rel="proof"`);
    expect(headers).not.toHaveProperty("signature");
  });

  test("a job that a node ran is not signed after a record was withdrawn, and has no proof", async () => {
    const { uuid, items } = await answerJob();
    const [removed, remaining] = items;
    await service.context.archive.write({
      changes: [
        {
          kind: "delete",
          platform: "bluesky",
          uri: String(removed?.uri),
          revision: "3zzzzzzzzzzzz",
        },
      ],
    });
    const result = await get(resultPath(uuid));
    expect(result.body).toBe(`[${remaining?.record}]`);
    expect(result.headers["x-unsigned"]).toBe('"withdrawn";records=1');
    expect(result.headers["x-node"]).toBe(`"${node.nodeId}";evidence=simulated`);
    for (const field of ["signature", "signature-input", "content-digest", "earshot-job", "link"]) {
      expect(result.headers).not.toHaveProperty(field);
    }
    const proof = await get(`${resultPath(uuid)}/proof`);
    expect(proof.statusCode).toBe(410);
    expectRefusal(proof, "proof_withdrawn");
    expect(proof.body).not.toContain("comet");
  });

  test("a job that a node ran is not found by another account, nor is its proof", async () => {
    const { uuid } = await answerJob();
    const outsider = await service.makeKey();
    for (const path of [resultPath(uuid), `/v1/search/live/result/${uuid}`]) {
      const proof = await get(`${path}/proof`, outsider);
      const unknown = await get(`${path.replace(uuid, randomUUID())}/proof`, outsider);
      const reported = ({ statusCode, body }: LightMyRequestResponse) => ({
        statusCode,
        body: { ...JSON.parse(body), request_id: "" },
      });
      expect(reported(proof)).toEqual(reported(unknown));
      expectRefusal(proof, "job_not_found");
      expectRefusal(await get(`${path}/proof`, null), "unauthorized");
      expect((await get(`${path}/proof`)).statusCode).toBe(200);
    }
  });

  test("a job that a node ran has no proof before it has ended", async () => {
    const job = await leaseJob();
    const early = await get(`${resultPath(job.envelope.job)}/proof`);
    expect(early.statusCode).toBe(202);
    expect(early.headers["retry-after"]).toBe("1");
    await node.complete(job, node.signAnswer(job, []));
    expect((await get(`${resultPath(job.envelope.job)}/proof`)).json().body).toBe("[]");
  });
});

describe("public information", () => {
  test("the public information on nodes lists the admitted ones, without addresses or secrets", async () => {
    const listed = await get("/v1/nodes", null);
    expect(listed.headers["cache-control"]).toBe("public, max-age=5");
    const { embedded, evidence, nodes } = listed.json();
    expect({ embedded, evidence }).toEqual({ embedded: "off", evidence: ["tdx", "simulated"] });
    expect(nodes).toContainEqual(
      expect.objectContaining({
        id: node.nodeId,
        key_id: node.keyId,
        evidence: "simulated",
        state: "approved",
        connected: true,
      }),
    );
    expect(listed.body).not.toMatch(/127\.0\.0\.1|token|secret/);
  });

  test("an attestation is returned by its public id and cacheable forever, and an unknown id is not found", async () => {
    const { nodes } = (await get("/v1/nodes", null)).json();
    const { attestation: id } = nodes.find((other: { id: string }) => other.id === node.nodeId);
    const response = await get(`/v1/attestations/${id}`, null);
    expect(response.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(response.json()).toMatchObject({ id, node_id: node.nodeId, key_id: node.keyId });
    for (const unknown of ["A".repeat(43), "A".repeat(60), "..%2f..%2f"]) {
      expectRefusal(await get(`/v1/attestations/${unknown}`, null), "attestation_not_found");
    }
  });

  test("the public policy states what nodes have to show", async () => {
    const { quotes, ...policy } = (await get("/v1/attestation/policy", null)).json();
    expect(policy).toMatchObject({ audience: "earshot", evidence: ["tdx", "simulated"] });
    expect(quotes).toMatchObject({ images: [{ name: "simulated" }] });
  });

  test("the public readiness states how many nodes there are, and how many prove nothing", async () => {
    const ready = (await get("/readyz", null)).json();
    expect(ready.nodes).toBeGreaterThan(0);
    expect(ready.insecure_nodes).toBe(ready.nodes);
  });
});

describe("a node is not admitted", () => {
  const register = async (
    candidate: HandDrivenNode,
    changes: Parameters<HandDrivenNode["registration"]>[0] = {},
  ) => await candidate.post("register", await candidate.registration(changes));

  test("a node with a used nonce is not admitted, even if the first use was rejected", async () => {
    const candidate = await openNode();
    const requested = await candidate.registration();
    const broken = { ...requested, identity_signature: "A".repeat(86) };
    expectRefusal(
      await candidate.post("register", broken),
      "node_refused",
      "bad_identity_signature",
    );
    expectRefusal(await candidate.post("register", requested), "node_refused", "challenge_unknown");
  });

  test("a node with an unknown or expired nonce is not admitted", async () => {
    const candidate = await openNode();
    const unknown = await register(candidate, { nonce: "A".repeat(43) });
    expectRefusal(unknown, "node_refused", "challenge_unknown");
    const late = await candidate.registration();
    service.clock.move(60_001);
    expectRefusal(await candidate.post("register", late), "node_refused", "challenge_ended");
    await node.attest();
  });

  test("a node with evidence for another gateway is not admitted", async () => {
    const candidate = await openNode();
    expectRefusal(
      await register(candidate, { audience: "other" }),
      "node_refused",
      "other_audience",
    );
    const { keys } = await openNode();
    const other = await register(candidate, { gateway_key: keys.signingKey });
    expectRefusal(other, "node_refused", "other_gateway");
  });

  test("a node with a key that was swapped after the quote was made is not admitted", async () => {
    const candidate = await openNode();
    const [requested, other] = await Promise.all([candidate.registration(), makeRunKeys()]);
    const swapped = {
      ...requested,
      statement: { ...requested.statement, sealing_key: other.encryptionKey },
    };
    // The node's own identity key can sign anything.
    const resigned = await candidate.registration({ sealing_key: other.encryptionKey });
    expectRefusal(await candidate.post("register", swapped), "node_unauthorized", "unknown_key");
    const withOldQuote = { ...resigned, evidence: requested.evidence };
    const response = await candidate.post("register", withOldQuote, {
      keyId: hashKeyId(resigned.statement),
    });
    expectRefusal(response, "node_refused", "report_data");
  });

  test("a node with evidence of a different kind than declared, or of a kind that is not accepted, is not admitted", async () => {
    const candidate = await openNode();
    expectRefusal(await register(candidate, { evidence: "tdx" }), "node_refused", "chain_root");
    const none = await candidate.registration({ evidence: "none" });
    const nothing = { quote: null, event_log: null, vm_config: null };
    const response = await candidate.post("register", { ...none, evidence: nothing });
    expectRefusal(response, "node_refused", "kind_not_accepted");
  });

  test("a node with a registration that its key did not sign is not admitted", async () => {
    const [candidate, other] = await Promise.all([openNode(), openNode()]);
    const requested = await candidate.registration();
    const changes = { keys: other.keys };
    expectRefusal(
      await candidate.post("register", requested, changes),
      "node_unauthorized",
      "bad_signature",
    );
    const url = "/internal/nodes/register";
    const unsigned = await service.app.inject({ method: "POST", url, payload: requested });
    expectRefusal(unsigned, "node_refused", "not_enrolled");
    // A request without the key did not use up the nonce.
    expect((await candidate.post("register", requested)).statusCode).toBe(200);
  });

  test("a node without the enrolment token is rejected before its body is read", async () => {
    for (const route of ["challenge", "register"]) {
      const url = `/internal/nodes/${route}`;
      const headers = { "content-type": "application/json" };
      const request = await service.app.inject({
        method: "POST",
        url,
        headers,
        payload: "rubbish",
      });
      expectRefusal(request, "node_refused", "not_enrolled");
    }
    expect((await node.challenge()).nonce).toMatch(/^[\w-]{43}$/);
  });

  test("a registration with a body beyond the limit is rejected", async () => {
    const candidate = await openNode();
    const sentBody = JSON.stringify({ evidence: "a".repeat(262_144) });
    expectRefusal(await candidate.post("register", {}, { sentBody }), "body_too_large");
    expectRefusal(await candidate.post("challenge", { a: "a".repeat(256) }), "body_too_large");
  });
});

describe("a request from a node is rejected", () => {
  const renewal = () => ({ job: randomUUID(), token: randomUUID() });
  const cases: [string, string, () => Promise<LightMyRequestResponse>][] = [
    ["that is not signed", "not_signed", unsignedLease],
    ["of a key that has not attested", "unknown_key", () => outsider("renew")],
    ["that another key has signed", "bad_signature", signedByOther],
    [
      "whose clock is ahead",
      "clock_skew",
      () => node.post("renew", renewal(), { aheadSeconds: 90 }),
    ],
    [
      "whose clock is behind",
      "clock_skew",
      () => node.post("renew", renewal(), { aheadSeconds: -90 }),
    ],
    ["that was sent before", "replayed", replayed],
    ["whose body was changed", "content_digest", changedBody],
    ["signed for another path", "bad_signature", otherPath],
  ];

  test.each(cases)("a request from a node %s is rejected with %s", async (_, check, send) => {
    const response = await send();
    expect(response.statusCode).toBe(401);
    expect(response.headers["www-authenticate"]).toBe('Signature realm="earshot"');
    expectRefusal(response, "node_unauthorized", check);
  });

  test("a request from an unknown node is rejected before its body is read", async () => {
    const candidate = await openNode();
    const sentBody = JSON.stringify({ sealed: "A".repeat(8_400_000) });
    expectRefusal(
      await candidate.post("complete", {}, { sentBody }),
      "node_unauthorized",
      "unknown_key",
    );
    // The same applies without a matching job.
    expectRefusal(await node.post("complete", {}, { sentBody }), "lease_lost");
    await leaseJob();
    expectRefusal(await node.post("complete", {}, { sentBody }), "body_too_large");
  });

  test("a request from a node with another method or body is rejected as on other routes", async () => {
    expectRefusal(await get("/internal/nodes/lease", null), "method_not_allowed");
    expectRefusal(await node.post("lease", { methods: [] }), "invalid_request", "out_of_range");
  });

  function unsignedLease() {
    const payload = { methods: ["searchbyquery"], wait_ms: 0 };
    return service.app.inject({ method: "POST", url: "/internal/nodes/lease", payload });
  }
  async function outsider(route: string) {
    return await (await openNode()).post(route, renewal());
  }
  async function signedByOther() {
    const { keys } = await openNode();
    return await node.post("renew", renewal(), { keys });
  }
  async function replayed() {
    const changes = { nonce: "A".repeat(22) };
    await node.post("renew", renewal(), changes);
    return await node.post("renew", renewal(), changes);
  }
  function changedBody() {
    return node.post("renew", renewal(), { sentBody: JSON.stringify(renewal()) });
  }
  function otherPath() {
    return node.post("renew?again", renewal(), { path: "/internal/nodes/renew" });
  }
});

describe("a response from the gateway to a node", () => {
  /** Whether the gateway signed the response for the request with these headers. */
  async function isSigned(
    route: string,
    body: unknown,
    changes: Parameters<HandDrivenNode["post"]>[2] = {},
  ): Promise<[status: number, isSigned: boolean]> {
    const path = `/internal/nodes/${route}`;
    const text = JSON.stringify(body);
    const headers = node.sign(path, text, changes);
    const response = await service.app.inject({
      method: "POST",
      url: path,
      headers,
      payload: changes.sentBody ?? text,
    });
    const reported = {
      signatureInput: headers["signature-input"] ?? "",
      path,
      status: response.statusCode,
      body: response.rawPayload,
    };
    const signature = String(response.headers["earshot-gateway-signature"]);
    const { gateway_key } = service.context.nodes.gateway.policy();
    return [response.statusCode, isGatewayResponse(reported, signature, gateway_key)];
  }

  test("every response from the gateway to a node is signed", async () => {
    const unknown = randomUUID();
    const poll = { methods: ["searchbyquery"], wait_ms: 0 };
    const sealed = { job: unknown, token: unknown, nonce: "A".repeat(16), sealed: "AAAA" };
    expect(await isSigned("challenge", {})).toEqual([200, true]);
    expect(await isSigned("register", await node.registration())).toEqual([200, true]);
    expect(await isSigned("lease", poll)).toEqual([204, true]);
    expect(await isSigned("renew", { job: unknown, token: unknown })).toEqual([409, true]);
    expect(await isSigned("fail", sealed)).toEqual([409, true]);
    const large = { ...sealed, sealed: "A".repeat(8_388_608) };
    await leaseJob();
    expect(await isSigned("complete", large)).toEqual([413, true]);
    expect(await isSigned("lease", poll, { aheadSeconds: 3_600 })).toEqual([401, true]);
    expect(await isSigned("lease", poll, { sentBody: "{}" })).toEqual([401, true]);
    const stale = await node.registration({ nonce: "A".repeat(43) });
    expect(await isSigned("register", stale)).toEqual([403, true]);
  });

  test("a response from the gateway with a job is signed, including the job", async () => {
    await service.submit(key, search("comet"));
    const requested = { methods: ["searchbyquery"], wait_ms: 10_000 };
    expect(await isSigned("lease", requested)).toEqual([200, true]);
  });

  test("a response from the gateway is not signed without a signed request", async () => {
    const response = await service.app.inject({ method: "POST", url: "/internal/nodes/challenge" });
    expect(response.headers).not.toHaveProperty("earshot-gateway-signature");
  });
});

describe("an answer is rejected", () => {
  test("an answer under the lease of another node, or an unknown one, is rejected", async () => {
    const other = await openNode();
    await other.attest();
    const job = await leaseJob();
    const answer = node.signAnswer(job, recentItems(1));
    const plain = answerBytes(answer);
    expectRefusal(await other.post("complete", encryptForGateway(job, plain)), "lease_lost");
    expectRefusal(await node.complete(job, answer, { token: randomUUID() }), "lease_lost");
    expectRefusal(
      await other.post("renew", { job: job.envelope.job, token: job.payload.token }),
      "lease_lost",
    );
    expect((await node.complete(job, answer)).statusCode).toBe(204);
    expectRefusal(await node.complete(job, answer), "lease_lost");
    expect((await other.post("leave", {})).statusCode).toBe(204);
  });

  const wrong: [string, string, (job: StoredJob) => Promise<LightMyRequestResponse>][] = [
    [
      "with more records than were requested",
      "too_many_items",
      (job) => node.complete(job, node.signAnswer(job, recentItems(4))),
    ],
    [
      "with a post outside the window",
      "outside_window",
      (job) => node.complete(job, node.signAnswer(job, [makeItem(5n << 20n, 5)])),
    ],
    [
      "that another key has signed",
      "bad_signature",
      async (job) => {
        const { keys } = await openNode();
        return await node.complete(job, node.signAnswer(job, recentItems(1), keys));
      },
    ],
    [
      "whose records are not those that were signed",
      "content_digest",
      (job) => {
        const { fields } = node.signAnswer(job, recentItems(1, "aurora"));
        return node.complete(job, { ...node.signAnswer(job, recentItems(1)), fields });
      },
    ],
    [
      "encrypted for another job",
      "not_openable",
      async (job) => {
        const other = await leaseJob();
        const sealed = encryptForGateway(other, answerBytes(node.signAnswer(other, [])));
        const { token } = job.payload;
        return await node.post("complete", { ...sealed, job: job.envelope.job, token });
      },
    ],
    [
      "signed for another job",
      "other_job",
      (job) => {
        const envelope = { ...job.envelope, job: randomUUID() };
        return node.complete(job, node.signAnswer({ ...job, envelope }, []));
      },
    ],
  ];

  test.each(wrong)("an answer %s is rejected with %s", async (_, check, complete) => {
    const response = await complete(await leaseJob());
    expect(response.statusCode).toBe(422);
    expectRefusal(response, "node_answer_refused", check);
  });
});

describe("a working node", () => {
  test("a working node renews its leases, and reports why a job has failed", async () => {
    const job = await leaseJob();
    const lease = { job: job.envelope.job, token: job.payload.token };
    expect((await node.post("renew", lease)).json().hold_ms).toBeGreaterThan(1_000);
    const failure = {
      code: "search_not_sayable",
      message: "it cannot be\nsaid",
      status: 502,
      retryable: false,
    };
    const plain = Buffer.from(JSON.stringify(failure));
    expect((await node.post("fail", encryptForGateway(job, plain))).statusCode).toBe(204);
    const refused = await get(resultPath(lease.job));
    expectRefusal(refused, "upstream_failed", "search_not_sayable");
    expect(refused.json().detail).toBe("node by hand reported: it cannot be said");
  });

  test("a lease request gets an empty response when no job arrives in time", async () => {
    const requested = { methods: ["searchbyquery"], wait_ms: 10 };
    const response = await node.post("lease", requested);
    expect({ status: response.statusCode, body: response.body }).toEqual({ status: 204, body: "" });
  });

  test("no job is lost when a node disconnects during a lease request", async () => {
    const path = "/internal/nodes/lease";
    const body = JSON.stringify({ methods: ["searchbyquery"], wait_ms: 20_000 });
    const polling = new AbortController();
    const { signal } = polling;
    const headers = node.sign(path, body);
    const waiting = fetch(service.url + path, { method: "POST", headers, body, signal });
    await service.waitForPending(1);
    polling.abort();
    await expect(waiting).rejects.toThrow("abort");
    await service.waitForPending(0);
    const job = await leaseJob();
    expect((await node.complete(job, node.signAnswer(job, []))).statusCode).toBe(204);
  });

  test("a node that leaves is unknown afterwards", async () => {
    const candidate = await openNode();
    await candidate.attest();
    expect((await candidate.post("leave", {})).statusCode).toBe(204);
    expectRefusal(await candidate.post("leave", {}), "node_unauthorized", "unknown_key");
  });
});

test("no node is admitted on the basis of expired collateral", async () => {
  const candidate = await openNode();
  const yearMs = 366 * 86_400_000;
  service.clock.shiftWall(yearMs);
  try {
    const response = await candidate.post("register", await candidate.registration());
    expectRefusal(response, "node_refused", "crl_outdated");
  } finally {
    service.clock.shiftWall(-yearMs);
  }
});

test("a pending lease request is answered when the server stops", async () => {
  const waiting = node.post("lease", { methods: ["searchbyquery"], wait_ms: 20_000 });
  await service.waitForPending(1);
  await service.stop();
  expect((await waiting).statusCode).toBe(204);
});
