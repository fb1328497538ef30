import { afterEach, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const started: ServiceUnderTest[] = [];
async function start(settings: Readonly<Record<string, string>> = {}) {
  const service = await startServiceUnderTest(settings);
  started.push(service);
  return service;
}
afterEach(async () => {
  for (const service of started.splice(0).reverse()) await service.remove();
});

test("stopping answers waiting requests with the current state", async () => {
  const service = await start({ EARSHOT_NODE_CONCURRENCY: "0" });
  const key = await service.makeKey();
  const { uuid } = (await service.submit(key, search("comet"))).json();
  const url = `${service.url}/v1/search/live/social/result/${uuid}?wait=30`;
  const pending = fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await service.waitForPending(1);
  await service.stop();
  const response = await pending;
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual({ uuid, status: "received", error: "" });
});

test("a request beyond the limit of waiting requests of its key is answered immediately", async () => {
  const service = await start({
    EARSHOT_NODE_CONCURRENCY: "0",
    EARSHOT_MAX_WAITING_REQUESTS: "1",
  });
  const key = await service.makeKey();
  const { uuid } = (await service.submit(key, search("comet"))).json();
  const url = `/v1/search/live/social/result/${uuid}?wait=30`;
  const pending = service.call(key, { method: "GET", url });
  await service.waitForPending(1);
  const response = await service.call(key, { method: "GET", url });
  expect(response.statusCode).toBe(202);
  expect(response.headers["retry-after"]).toBe("1");
  await service.stop();
  expect((await pending).statusCode).toBe(202);
});

test("jobs and the remaining rate survive a restart", async () => {
  const first = await start();
  const key = await first.makeKey({ submissionsPerMinute: null });
  const { uuid } = (await first.submit(key, search("comet"))).json();
  await first.result(key, uuid);
  await first.stop();

  const second = await start({ EARSHOT_DATA_DIR: first.dataDir });
  expect((await second.result(key, uuid)).statusCode).toBe(200);
  const response = await second.submit(key, search("comet"));
  expect(response.statusCode).toBe(202);
  expect(response.headers.ratelimit).toContain('"search";r=8');
});

test("idempotency keys and positions of event streams survive a restart", async () => {
  const first = await start({ EARSHOT_NODE_CONCURRENCY: "0" });
  const key = await first.makeKey();
  const submission = {
    method: "POST",
    url: "/v1/search/live/social",
    headers: { "idempotency-key": "once" },
    payload: search("comet"),
  } as const;
  const { uuid } = (await first.call(key, submission)).json();
  await first.stop();

  const second = await start({ EARSHOT_DATA_DIR: first.dataDir });
  const replay = await second.call(key, submission);
  expect(replay.json()).toEqual({ uuid, error: "" });
  expect(replay.headers["idempotent-replayed"]).toBe("true");
  await second.result(key, uuid);
  const stream = await second.call(key, {
    method: "GET",
    url: "/v1/search/live/social/events",
    headers: { "last-event-id": "1" },
    payloadAsStream: true,
  });
  const [text] = await stream.stream().drop(1).take(1).toArray();
  expect(String(text)).toContain(`{"uuid":"${uuid}","status":"done"`);
});

test("an expired result returns 410, and the status of its job is expired", async () => {
  const service = await start({ EARSHOT_RESULT_RETENTION: "1h", EARSHOT_JOB_RETENTION: "2h" });
  const key = await service.makeKey();
  const { uuid } = (await service.submit(key, search("comet"))).json();
  expect((await service.result(key, uuid)).statusCode).toBe(200);
  service.clock.move(3_600_001);
  const expired = await service.result(key, uuid);
  expect(expired.statusCode).toBe(410);
  expect(expired.json()).toMatchObject({ code: "result_expired" });
  const url = `/v1/search/live/social/status/${uuid}`;
  const status = await service.call(key, { method: "GET", url });
  expect(status.statusCode).toBe(200);
  expect(status.json()).toMatchObject({ status: "expired", next_cursor: null });
});

test("a submission to a full queue gets 503 and does not use the rate", async () => {
  const service = await start({ EARSHOT_NODE_CONCURRENCY: "0", EARSHOT_MAX_WAITING_JOBS: "1" });
  const key = await service.makeKey({ submissionsPerMinute: null });
  expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
  const rejected = await service.submit(key, search("comet"));
  expect(rejected.statusCode).toBe(503);
  expect(rejected.json()).toMatchObject({ code: "overloaded", retryable: true, uuid: "" });
  expect(rejected.headers["retry-after"]).toBeDefined();
  expect(rejected.headers.ratelimit).toContain('"search";r=9');
});

test("a second server on a folder reports that the folder is in use and does not disturb the first", async () => {
  const service = await start();
  await expect(start({ EARSHOT_DATA_DIR: service.dataDir })).rejects.toMatchObject({
    code: "folder_in_use",
  });
  const response = await service.call(null, { method: "GET", url: "/readyz" });
  expect(response.statusCode).toBe(200);
});

test("a request whose header is too large gets a problem with status 431", async () => {
  const service = await start();
  const url = `${service.url}/v1/search/live/social`;
  const response = await fetch(url, {
    method: "POST",
    headers: { "x-padding": "a".repeat(20_000) },
  });
  expect([response.status, response.statusText]).toEqual([431, "Request Header Fields Too Large"]);
  expect(response.headers.get("content-type")).toContain("application/problem+json");
  expect(await response.json()).toMatchObject({ code: "header_too_large", status: 431 });
});
