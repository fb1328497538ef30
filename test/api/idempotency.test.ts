import { afterAll, beforeAll, expect, test } from "vitest";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_NODE_CONCURRENCY: "0" });
});
afterAll(() => service.remove());

const base = "/v1/search/live/social";

const newApiKey = () => service.makeKey({ submissionsPerMinute: null });

let keys = 0;
const newKey = () => `key-${keys++}`;

function submit(
  apiKey: string,
  idempotencyKey: string,
  body: unknown = search("comet"),
  url = base,
) {
  return service.call(apiKey, {
    method: "POST",
    url,
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function fetchJobs(apiKey: string): Promise<{ uuid: string }[]> {
  return (await service.call(apiKey, { method: "GET", url: `${base}/jobs` })).json().jobs;
}

test("repeating a search with the same idempotency key returns the same job and costs no search", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const first = await submit(apiKey, idempotencyKey);
  expect(first.statusCode).toBe(202);
  expect(first.headers["idempotent-replayed"]).toBeUndefined();
  expect(first.headers.ratelimit).toContain('"search";r=9');
  for (let again = 0; again < 3; again++) {
    const replay = await submit(apiKey, idempotencyKey);
    expect(replay.statusCode).toBe(202);
    expect(replay.body).toBe(first.body);
    expect(replay.headers.location).toBe(first.headers.location);
    expect(replay.headers["retry-after"]).toBe("1");
    expect(replay.headers["idempotent-replayed"]).toBe("true");
    expect(replay.headers.ratelimit).toContain('"search";r=9');
  }
  expect(await fetchJobs(apiKey)).toHaveLength(1);
});

test("a repeated submission is answered even if the search rate is used up", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const { uuid } = (await submit(apiKey, idempotencyKey)).json();
  for (let used = 1; used < 10; used++) await submit(apiKey, newKey());
  expect((await submit(apiKey, newKey())).statusCode).toBe(429);
  const replay = await submit(apiKey, idempotencyKey);
  expect(replay.statusCode).toBe(202);
  expect(replay.json().uuid).toBe(uuid);
});

test("member order, white space and number format do not make a different search", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const { uuid } = (
    await submit(apiKey, idempotencyKey, search("comet", { max_results: 20 }))
  ).json();
  const reformatted = `{ "arguments": {"max_results": 2.0e1,
    "query": "com\\u0065t", "type": "searchbyquery"}, "type": "social" }`;
  const replay = await submit(apiKey, idempotencyKey, reformatted);
  expect(replay.json()).toEqual({ uuid, error: "" });
});

test.each([
  ["another query", search("aurora"), base],
  ["another number", search("comet", { max_results: 21 }), base],
  ["another method", search("comet", { type: "searchbyfullarchive" }), base],
  ["another type", { ...search("comet"), type: "social-api" }, base],
  ["another platform in the path", search("comet"), "/v1/search/live/bluesky"],
])("%s with the same idempotency key is rejected and costs no search", async (_, body, url) => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  await submit(apiKey, idempotencyKey);
  const refused = await submit(apiKey, idempotencyKey, body, url);
  expect(refused.statusCode).toBe(422);
  expect(refused.json()).toMatchObject({
    code: "idempotency_mismatch",
    uuid: "",
    retryable: false,
  });
  expect(refused.headers.ratelimit).toContain('"search";r=9');
  expect(await fetchJobs(apiKey)).toHaveLength(1);
});

test("an invalid body is rejected before the idempotency key is looked up", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  expect((await submit(apiKey, idempotencyKey, search("since:never"))).statusCode).toBe(400);
  const used = await submit(apiKey, idempotencyKey);
  expect(used.statusCode).toBe(202);
  expect(used.headers["idempotent-replayed"]).toBeUndefined();
  expect((await submit(apiKey, idempotencyKey, search("since:never"))).statusCode).toBe(400);
});

test("concurrent requests with one idempotency key create one job", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => submit(apiKey, idempotencyKey)),
  );
  expect(new Set(responses.map((response) => response.body)).size).toBe(1);
  const fresh = responses.filter(
    (response) => response.headers["idempotent-replayed"] === undefined,
  );
  expect(fresh).toHaveLength(1);
  expect(await fetchJobs(apiKey)).toHaveLength(1);
  const next = await submit(apiKey, newKey());
  expect(next.headers.ratelimit).toContain('"search";r=8');
});

test("of two different searches sent concurrently with one idempotency key, one is accepted and the other rejected", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const responses = await Promise.all([
    submit(apiKey, idempotencyKey),
    submit(apiKey, idempotencyKey, search("aurora")),
  ]);
  expect(responses.map((response) => response.statusCode).sort()).toEqual([202, 422]);
  expect(await fetchJobs(apiKey)).toHaveLength(1);
  const next = await submit(apiKey, newKey());
  expect(next.headers.ratelimit).toContain('"search";r=8');
});

test("the same idempotency key from another account is a different key", async () => {
  const [apiKey, outsider, idempotencyKey] = [await newApiKey(), await newApiKey(), newKey()];
  const { uuid } = (await submit(apiKey, idempotencyKey)).json();
  const other = await submit(outsider, idempotencyKey, search("aurora"));
  expect(other.statusCode).toBe(202);
  expect(other.json().uuid).not.toBe(uuid);
});

test("a repeated submission returns the job even after it was cancelled or deleted", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const first = await submit(apiKey, idempotencyKey);
  const url = `${base}/status/${first.json().uuid}`;
  for (const expected of [200, 204, 404]) {
    expect((await service.call(apiKey, { method: "DELETE", url })).statusCode).toBe(expected);
    const replay = await submit(apiKey, idempotencyKey);
    expect(replay.statusCode).toBe(202);
    expect(replay.body).toBe(first.body);
  }
  expect(await fetchJobs(apiKey)).toEqual([]);
});

test("a repeated submission with Prefer: wait waits for the job, unless it was deleted", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const { uuid } = (await submit(apiKey, idempotencyKey)).json();
  const submitAndWait = () =>
    service.call(apiKey, {
      method: "POST",
      url: base,
      headers: { "idempotency-key": idempotencyKey, prefer: "wait=30" },
      payload: search("comet"),
    });
  const waiting = submitAndWait();
  await service.waitForPending(1);
  const url = `${base}/status/${uuid}`;
  await service.call(apiKey, { method: "DELETE", url });
  expect((await waiting).json()).toEqual({ uuid, error: "" });
  expect((await waiting).headers["preference-applied"]).toBe("wait=30");
  await service.call(apiKey, { method: "DELETE", url });
  expect((await submitAndWait()).headers["preference-applied"]).toBeUndefined();
});

test("paths without a platform accept an idempotency key, and empty arguments equal absent ones", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const path = "/v1/search/live";
  const first = await submit(apiKey, idempotencyKey, search("comet", { start_time: "" }), path);
  const replay = await submit(apiKey, idempotencyKey, search("comet", { next_cursor: null }), path);
  expect(replay.body).toBe(first.body);
  expect(replay.headers.location).toBe(`${path}/result/${first.json().uuid}`);
});

withFileStore("an idempotency key is valid for 24 hours", async () => {
  const [apiKey, idempotencyKey] = [await newApiKey(), newKey()];
  const { uuid } = (await submit(apiKey, idempotencyKey)).json();
  service.clock.move(86_399_000);
  expect((await submit(apiKey, idempotencyKey)).json().uuid).toBe(uuid);
  service.clock.move(1_000);
  const later = await submit(apiKey, idempotencyKey, search("aurora"));
  expect(later.statusCode).toBe(202);
  expect(later.json().uuid).not.toBe(uuid);
});

test.each(["", "é", "k".repeat(256)])(
  "the idempotency key %j is rejected, and the error names the header",
  async (idempotencyKey) => {
    const apiKey = await newApiKey();
    const response = await submit(apiKey, idempotencyKey);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      code: "invalid_request",
      uuid: "",
      errors: [{ pointer: "/idempotency-key" }],
    });
    expect(response.headers.ratelimit).toContain('"search";r=10');
  },
);
