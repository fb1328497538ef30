import { afterAll, beforeAll, expect, test } from "vitest";
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

const keyOf = () => service.makeKey({ submissionsPerMinute: null });

let drawn = 0;
const freshKey = () => `key-${drawn++}`;

function submit(by: string, idempotencyKey: string, body: unknown = search("comet"), url = base) {
  return service.call(by, {
    method: "POST",
    url,
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function jobsOf(by: string): Promise<{ uuid: string }[]> {
  return (await service.call(by, { method: "GET", url: `${base}/jobs` })).json().jobs;
}

test("repeating a search with the same idempotency key returns the same job and uses no search of the rate", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const first = await submit(by, once);
  expect(first.statusCode).toBe(202);
  expect(first.headers["idempotent-replayed"]).toBeUndefined();
  expect(first.headers.ratelimit).toContain('"search";r=9');
  for (let again = 0; again < 3; again++) {
    const replay = await submit(by, once);
    expect(replay.statusCode).toBe(202);
    expect(replay.body).toBe(first.body);
    expect(replay.headers.location).toBe(first.headers.location);
    expect(replay.headers["retry-after"]).toBe("1");
    expect(replay.headers["idempotent-replayed"]).toBe("true");
    expect(replay.headers.ratelimit).toContain('"search";r=9');
  }
  expect(await jobsOf(by)).toHaveLength(1);
});

test("a replay is answered when the rate of searches is used up", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const { uuid } = (await submit(by, once)).json();
  for (let used = 1; used < 10; used++) await submit(by, freshKey());
  expect((await submit(by, freshKey())).statusCode).toBe(429);
  const replay = await submit(by, once);
  expect(replay.statusCode).toBe(202);
  expect(replay.json().uuid).toBe(uuid);
});

test("member order, white space and number format do not make a different search", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const { uuid } = (await submit(by, once, search("comet", { max_results: 20 }))).json();
  const written = `{ "arguments": {"max_results": 2.0e1,
    "query": "com\\u0065t", "type": "searchbyquery"}, "type": "social" }`;
  const replay = await submit(by, once, written);
  expect(replay.json()).toEqual({ uuid, error: "" });
});

test.each([
  ["another query", search("aurora"), base],
  ["another number", search("comet", { max_results: 21 }), base],
  ["another method", search("comet", { type: "searchbyfullarchive" }), base],
  ["another type", { ...search("comet"), type: "social-api" }, base],
  ["another platform in the path", search("comet"), "/v1/search/live/bluesky"],
])(
  "%s with the same idempotency key is refused and uses no search of the rate",
  async (_, body, url) => {
    const [by, once] = [await keyOf(), freshKey()];
    await submit(by, once);
    const refused = await submit(by, once, body, url);
    expect(refused.statusCode).toBe(422);
    expect(refused.json()).toMatchObject({
      code: "idempotency_mismatch",
      uuid: "",
      retryable: false,
    });
    expect(refused.headers.ratelimit).toContain('"search";r=9');
    expect(await jobsOf(by)).toHaveLength(1);
  },
);

test("an invalid body is refused before the idempotency key is looked up", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  expect((await submit(by, once, search("since:never"))).statusCode).toBe(400);
  const used = await submit(by, once);
  expect(used.statusCode).toBe(202);
  expect(used.headers["idempotent-replayed"]).toBeUndefined();
  expect((await submit(by, once, search("since:never"))).statusCode).toBe(400);
});

test("concurrent requests with one idempotency key create one job", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(by, once)));
  expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
  const fresh = answers.filter((answer) => answer.headers["idempotent-replayed"] === undefined);
  expect(fresh).toHaveLength(1);
  expect(await jobsOf(by)).toHaveLength(1);
  const next = await submit(by, freshKey());
  expect(next.headers.ratelimit).toContain('"search";r=8');
});

test("of two different searches sent concurrently with one idempotency key, one is accepted and one refused", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const answers = await Promise.all([submit(by, once), submit(by, once, search("aurora"))]);
  expect(answers.map((answer) => answer.statusCode).sort()).toEqual([202, 422]);
  expect(await jobsOf(by)).toHaveLength(1);
  const next = await submit(by, freshKey());
  expect(next.headers.ratelimit).toContain('"search";r=8');
});

test("the same idempotency key of another account is a different key", async () => {
  const [by, outsider, once] = [await keyOf(), await keyOf(), freshKey()];
  const { uuid } = (await submit(by, once)).json();
  const other = await submit(outsider, once, search("aurora"));
  expect(other.statusCode).toBe(202);
  expect(other.json().uuid).not.toBe(uuid);
});

test("a replay returns the job even after it was cancelled or deleted", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const first = await submit(by, once);
  const url = `${base}/status/${first.json().uuid}`;
  for (const expected of [200, 204, 404]) {
    expect((await service.call(by, { method: "DELETE", url })).statusCode).toBe(expected);
    const replay = await submit(by, once);
    expect(replay.statusCode).toBe(202);
    expect(replay.body).toBe(first.body);
  }
  expect(await jobsOf(by)).toEqual([]);
});

test("a replay with Prefer: wait waits for the job, but not for a deleted one", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const { uuid } = (await submit(by, once)).json();
  const waits = () =>
    service.call(by, {
      method: "POST",
      url: base,
      headers: { "idempotency-key": once, prefer: "wait=30" },
      payload: search("comet"),
    });
  const stored = waits();
  await service.waitForPending(1);
  const url = `${base}/status/${uuid}`;
  await service.call(by, { method: "DELETE", url });
  expect((await stored).json()).toEqual({ uuid, error: "" });
  expect((await stored).headers["preference-applied"]).toBe("wait=30");
  await service.call(by, { method: "DELETE", url });
  expect((await waits()).headers["preference-applied"]).toBeUndefined();
});

test("paths without a platform accept an idempotency key, and empty arguments equal absent ones", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const path = "/v1/search/live";
  const first = await submit(by, once, search("comet", { start_time: "" }), path);
  const replay = await submit(by, once, search("comet", { next_cursor: null }), path);
  expect(replay.body).toBe(first.body);
  expect(replay.headers.location).toBe(`${path}/result/${first.json().uuid}`);
});

test("an idempotency key is valid for 24 hours", async () => {
  const [by, once] = [await keyOf(), freshKey()];
  const { uuid } = (await submit(by, once)).json();
  service.clock.move(86_399_000);
  expect((await submit(by, once)).json().uuid).toBe(uuid);
  service.clock.move(1_000);
  const later = await submit(by, once, search("aurora"));
  expect(later.statusCode).toBe(202);
  expect(later.json().uuid).not.toBe(uuid);
});

test.each(["", "é", "k".repeat(256)])(
  "the idempotency key %j is refused, and the error names the header",
  async (once) => {
    const by = await keyOf();
    const answer = await submit(by, once);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: "invalid_request",
      uuid: "",
      errors: [{ pointer: "/idempotency-key" }],
    });
    expect(answer.headers.ratelimit).toContain('"search";r=10');
  },
);
