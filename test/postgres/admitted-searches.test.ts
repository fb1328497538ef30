import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openPool, type Pool } from "../../src/db/postgres/pool.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

/** The next search of a recently admitted key is admitted and inserted in one call. */
let service: ServiceUnderTest;
let other: ServiceUnderTest;
let pool: Pool;

beforeAll(async () => {
  const settings = await databaseSettings();
  service = await startServiceUnderTest(settings);
  other = await startServiceUnderTest(settings);
  const createdMs = service.clock.now() - 60_000;
  await service.addPosts([makePost({ text: "a comet over the harbour", createdMs })]);
  pool = openPool({
    url: settings.EARSHOT_DATABASE_URL ?? "",
    ...{ gateway: "test", connections: 1, timeoutMs: 5_000 },
  });
  // The first searches of a process are slow.
  const key = await service.makeKey();
  await until("short searches to be answered with their submission", async () => {
    const { names } = await callsFor(key, search("comet"));
    return names.join() === "admitSearch" ? true : null;
  });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await pool?.end();
  await other?.remove();
  await service?.remove();
});

const invalid = search("since:2026-02-30");
const id = (key: string) => key.split("_")[1] ?? "";

async function admittedKey(rates: Parameters<ServiceUnderTest["makeKey"]>[0] = {}) {
  const key = await service.makeKey({ requestsPerSecond: 100, submissionsPerMinute: 50, ...rates });
  expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
  return key;
}

/** Names of the calls to the store for a submission. A slow answer also reads the rates again, which is omitted. */
async function callsFor(key: string, payload: object) {
  const { store } = service.context;
  const calls = [vi.spyOn(store, "inMemory"), vi.spyOn(store, "write")] as const;
  const response = await service.submit(key, payload);
  const names = calls.flatMap(({ mock }) => mock.calls.map(([name]) => String(name)));
  vi.restoreAllMocks();
  return { response, names: names.filter((name) => name !== "limitState") };
}

test("a search is admitted, counted and inserted in one call to the store", async () => {
  const key = await admittedKey();
  let searches = 1;
  // A slow machine may take the ordinary path.
  const response = await until("a search in one call", async () => {
    const called = await callsFor(key, search("comet"));
    searches += 1;
    return called.names.join() === "admitSearch" ? called.response : null;
  });
  expect(response.statusCode).toBe(202);
  expect(response.headers.ratelimit).toContain(`"search";r=${50 - searches}`);
  const result = await other.result(key, response.json().uuid);
  expect(result.body).toContain("a comet over the harbour");
});

test("concurrent searches are each counted once", async () => {
  const key = await admittedKey({ submissionsPerMinute: 8 });
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => service.submit(key, search("comet"))),
  );
  const accepted = responses.filter(({ statusCode }) => statusCode === 202);
  expect(accepted).toHaveLength(7);
  expect(new Set(accepted.map((response) => response.json().uuid)).size).toBe(7);
  expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(13);
  const { jobs } = (await service.call(key, { url: "/v1/search/live/social/jobs" })).json();
  expect(jobs).toHaveLength(8);
});

test("a revoked key is rejected, whatever it sends", async () => {
  for (const payload of [search("comet"), invalid]) {
    const key = await admittedKey();
    await other.context.store.write("revokeKey", {
      ...{ id: id(key), actor: "command_line", nowMs: other.clock.now() },
    });
    const response = await service.submit(key, payload);
    expect([response.statusCode, response.json().code]).toEqual([401, "unauthorized"]);
    expect(response.headers.ratelimit).toBeUndefined();
  }
});

test("a key over its rate is rejected, whatever it sends", async () => {
  for (const payload of [search("comet"), invalid]) {
    const key = await admittedKey({ requestsPerSecond: 2 });
    const request = await other.call(key, { url: "/v1/search/live/social/jobs" });
    expect(request.statusCode).toBe(200);
    const response = await service.submit(key, payload);
    expect([response.statusCode, response.json().code]).toEqual([429, "rate_limited"]);
    expect(response.headers["retry-after"]).toBe("1");
  }
});

test("an invalid search is rejected and not counted as a search", async () => {
  const key = await admittedKey({ requestsPerSecond: 5 });
  const response = await service.submit(key, invalid);
  expect(response.statusCode).toBe(400);
  expect(response.headers.ratelimit).toContain('"search";r=49');
});

test("changes to a key's methods apply to its next search", async () => {
  const key = await admittedKey();
  const setMethods = (methods: string | null) =>
    pool.unsafe("UPDATE api_key SET methods = $1 WHERE id = $2", [methods, id(key)]);
  await setMethods('["getbyid"]');
  expect((await service.submit(key, search("comet"))).statusCode).toBe(403);
  await setMethods(null);
  expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
});

test("the end of a search creates a delivery to the account's webhook, and the IDs of its posts are stored", async () => {
  const key = await admittedKey();
  const [owner] = await pool.unsafe("SELECT account_id FROM api_key WHERE id = $1", [id(key)]);
  await pool.unsafe(
    `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
     VALUES($1, $2, 'https://example.com/', '["job.done"]', '', 0)`,
    [id(key), owner?.account_id],
  );
  const { response } = await callsFor(key, search("comet"));
  expect(response.headers.ratelimit).toContain('"search";r=48');
  const { uuid } = response.json();
  const [job] = await pool.unsafe("SELECT post_ids::TEXT AS ids FROM job WHERE uuid = $1", [uuid]);
  const [post] = (await service.result(key, uuid)).json();
  expect(job?.ids).toBe(`{${post.ID}}`);
  const deliveries = await pool.unsafe(
    "SELECT 1 FROM webhook_delivery WHERE webhook_id = $1 AND payload LIKE $2",
    [id(key), `%${uuid}%`],
  );
  expect(deliveries).toHaveLength(1);
});

test("a job with a method other than a search is admitted and inserted in separate calls to the store", async () => {
  const key = await admittedKey();
  const payload = { type: "social", arguments: { type: "getbyid", query: "1" } };
  const { response, names } = await callsFor(key, payload);
  expect(response.statusCode).toBe(202);
  expect(names.slice(0, 2)).toEqual(["admit", "insertJob"]);
});

test("the ID of a post in a result identifies the post at a gateway that has not archived it", async () => {
  const key = await admittedKey();
  const { uuid } = (await service.submit(key, search("comet"))).json();
  const [post] = (await other.result(key, uuid)).json();
  const payload = { type: "social", arguments: { type: "getbyid", query: String(post.ID) } };
  const submitted = (await other.submit(key, payload)).json();
  const status = await other.call(key, { url: `/v1/search/live/social/status/${submitted.uuid}` });
  expect(status.body).not.toContain("unknown_id");
});
