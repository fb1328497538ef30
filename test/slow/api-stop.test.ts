import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createLog } from "../../src/server/log.ts";
import { connectTo } from "../../testkit/service/connect-to.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

const started: ServiceUnderTest[] = [];
async function start(
  settings: Readonly<Record<string, string>> = {},
  logged: string[] = [],
): Promise<ServiceUnderTest> {
  const log = createLog("info", { write: (line) => logged.push(line) });
  const service = await startServiceUnderTest(settings, { log });
  started.push(service);
  return service;
}
afterEach(async () => {
  for (const service of started.splice(0).reverse()) await service.remove();
});

const recentPath = "/api/v1/data/social/tweets/recent";

test("stopping does not wait for connections without a complete request, and releases the folder", async () => {
  const logged: string[] = [];
  const service = await start({ EARSHOT_STOP_GRACE: "60s" }, logged);
  const key = await service.makeKey();
  const head = `POST /v1/search/live/social HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const unfinished = [
    "",
    "GET /livez HTTP/1.1\r\nHo",
    `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"type"`,
    "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n",
  ];
  const closed = [];
  for (const text of unfinished) {
    const socket = await connectTo(service.url);
    socket.on("error", () => undefined).resume();
    closed.push(once(socket, "close"));
    if (text !== "") socket.write(text);
  }
  // Proves that the earlier requests were read.
  await fetch(`${service.url}/livez`);
  await service.stop();
  await Promise.all(closed);
  expect(logged.join("")).not.toContain("before all work ended");

  const next = await start({ EARSHOT_DATA_DIR: service.dataDir });
  expect((await next.call(null, { method: "GET", url: "/readyz" })).statusCode).toBe(200);
});

test("an announced stop makes /readyz return 503 while jobs are still accepted and their results returned", async () => {
  const service = await start({ EARSHOT_STOP_NOTICE: "1h" });
  const key = await service.makeKey();
  const noticeOver = Promise.withResolvers<void>();
  const { sleep } = service.clock;
  service.clock.sleep = (ms, signal) => (ms === 3_600_000 ? noticeOver.promise : sleep(ms, signal));
  const stopped = service.stop();
  const readiness = await fetch(`${service.url}/readyz`);
  expect(readiness.status).toBe(503);
  expect(readiness.headers.get("connection")).toBe("close");
  expect(await readiness.json()).toMatchObject({ status: "stopping", archive: "answers" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const url = `${service.url}/v1/search/live/social`;
  const body = JSON.stringify(search("comet"));
  const submitted = await fetch(url, { method: "POST", headers, body });
  expect(submitted.status).toBe(202);
  const { uuid } = (await submitted.json()) as { uuid: string };
  const result = await fetch(`${url}/result/${uuid}?wait=30`, { headers });
  expect(result.status).toBe(200);
  noticeOver.resolve();
  await stopped;
  await expect(fetch(`${service.url}/livez`)).rejects.toThrow("fetch failed");
});

test("API requests on new and open connections get 503, and the connections are closed, while running work ends", async () => {
  const service = await start({ EARSHOT_STOP_GRACE: "60s" });
  const key = await service.makeKey();
  const { search: searchArchive } = service.context.archive;
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.context.archive.search = async (...requested) => {
    begun.resolve();
    await mayEnd.promise;
    return await searchArchive(...requested);
  };
  await service.submit(key, search("comet"));
  await begun.promise;
  const keepAlive = await connectTo(service.url);
  const received = getText(keepAlive);
  keepAlive.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(keepAlive, "data");
  const stopped = service.stop();
  keepAlive.write("GET /v1/nodes HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(await received).toMatch(/HTTP\/1\.1 503 [\s\S]*connection: close/i);

  const refused = await fetch(`${service.url}/v1/nodes`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("content-type")).toContain("application/problem+json");
  expect(refused.headers.get("connection")).toBe("close");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({ code: "unavailable", retryable: true });
  expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);

  mayEnd.resolve();
  await stopped;
  await expect(fetch(`${service.url}/livez`)).rejects.toThrow("fetch failed");
});

async function getText(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes) => {
    text += String(bytes);
  });
  await once(socket, "close");
  return text;
}

test("unfinished work is abandoned after the grace period, and the folder is released", async () => {
  const logged: string[] = [];
  const service = await start({ EARSHOT_STOP_GRACE: "0s" }, logged);
  const key = await service.makeKey();
  const { jobs } = service.context.http;
  const requested = Promise.withResolvers<void>();
  jobs.find = () => {
    requested.resolve();
    return new Promise(() => undefined);
  };
  const url = `${service.url}/v1/search/live/social/status/0f8fad5b-d9cb-469f-a165-70867728950e`;
  const answer = fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch(() => "cut");
  await requested.promise;
  await service.stop();
  expect(await answer).toBe("cut");
  expect(logged.join("")).toContain("before all work ended");
  const next = await start({ EARSHOT_DATA_DIR: service.dataDir });
  expect((await next.call(null, { method: "GET", url: "/readyz" })).statusCode).toBe(200);
});

test("a search in one request that a stop interrupts gets 503 and counts as waiting until then", async () => {
  const logged: string[] = [];
  const settings = { EARSHOT_NODE_CONCURRENCY: "0", EARSHOT_MAX_WAITING_REQUESTS: "1" };
  const service = await start(settings, logged);
  const key = await service.makeKey();
  const body = { query: "comet" };
  const waiting = service.submit(key, body, recentPath);
  await service.waitForPending(1);
  const more = await service.submit(key, body, recentPath);
  expect(more.statusCode).toBe(429);
  expect(more.json()).toMatchObject({ code: "rate_limited" });
  expect(more.headers["retry-after"]).toBe("1");
  await service.stop();
  const response = await waiting;
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({
    code: "unavailable",
    retryable: true,
    hint: "send the same request again after Retry-After",
  });
  expect(logged.join("")).not.toContain('"level":"error"');
});

test("a client that disconnects from its search in one request is not logged as a problem", async () => {
  const logged: string[] = [];
  const service = await start({ EARSHOT_NODE_CONCURRENCY: "0" }, logged);
  const key = await service.makeKey();
  const disconnection = new AbortController();
  const requested = fetch(`${service.url}${recentPath}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "comet" }),
    signal: disconnection.signal,
  });
  await service.waitForPending(1);
  disconnection.abort();
  await expect(requested).rejects.toThrow();
  await service.waitForPending(0);
  await service.stop();
  const metrics = await service.context.http.metrics.text();
  expect(metrics).not.toContain("earshot_problems_total{");
  expect(logged.join("")).not.toContain('"level":"error"');
});

test("a start that fails after the service listens closes the service again", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "earshot-test-"));
  const log = createLog("info", { write: () => true });
  let url = "";
  log.info = (fields: unknown, message?: string) => {
    if (message !== "listening") return;
    url = (fields as { url: string }).url;
    throw new Error("the log is full");
  };
  const settings = { EARSHOT_DATA_DIR: dataDir };
  await expect(startServiceUnderTest(settings, { log })).rejects.toThrow("the log is full");
  await expect(fetch(`${url}/livez`)).rejects.toThrow("fetch failed");
  const next = await start(settings);
  expect((await next.call(null, { method: "GET", url: "/readyz" })).statusCode).toBe(200);
});

test("a job that exceeds its deadline is counted, and its search in one request gets 504", async () => {
  const logged: string[] = [];
  const settings = { EARSHOT_NODE_CONCURRENCY: "0", EARSHOT_JOB_DEADLINE: "1s" };
  const service = await start(settings, logged);
  const key = await service.makeKey();
  const response = await service.submit(key, { query: "comet" }, recentPath);
  expect(response.statusCode).toBe(504);
  const metrics = await service.context.http.metrics.text();
  expect(metrics).toMatch(/earshot_jobs_ended_total\{method="searchbyquery",state="error"\} 1/);
  expect(logged.join("")).not.toContain('"level":"error"');
});

test("a client that disconnects while its read is delayed causes no error", async () => {
  const logged: string[] = [];
  const service = await start({}, logged);
  const key = await service.makeKey({ requestsPerSecond: 1 });
  const { uuid } = (await service.submit(key, search("comet"))).json();
  const url = `${service.url}/v1/search/live/social/status/${uuid}`;
  const disconnection = new AbortController();
  const read = fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: disconnection.signal,
  });
  await until("the read got its turn", async () => {
    const [burst] = (await service.context.http.limiter.state(makeCaller(key))).policies;
    return (burst?.growsInMs ?? 0) > 1_000 ? true : null;
  });
  disconnection.abort();
  await expect(read).rejects.toThrow();
  await service.stop();
  expect(logged.join("")).not.toContain('"level":"error"');
});

function makeCaller(key: string) {
  const keyId = key.split("_")[1] ?? "";
  const rates = { requestsPerSecond: 1, submissionsPerMinute: null, ratesKeyId: keyId };
  return { keyId, accountId: "", ...rates, methods: null };
}

test("a failed attempt is logged once without its query, and its caller gets no internal detail", async () => {
  const logged: string[] = [];
  const service = await start({ EARSHOT_MAX_ATTEMPTS: "2" }, logged);
  const key = await service.makeKey();
  service.context.archive.search = () =>
    Promise.reject(new Error("SQL logic error near canaryword"));
  const { uuid } = (await service.submit(key, search("canaryword"))).json();
  for (let read = 0; read < 3; read++) {
    const result = await service.result(key, uuid);
    expect(result.statusCode).toBe(500);
    expect(result.json()).toMatchObject({ code: "job_failed", error: "internal error" });
  }
  const lines = logged.join("");
  expect(lines).not.toContain("canaryword");
  expect(lines.match(/an attempt failed/g)).toHaveLength(1);
  expect(lines).toContain(`"uuid":"${uuid}"`);
  expect(lines).toContain('"error":"SQL logic error"');
  expect(lines).not.toContain('"level":"error"');
});

test("a job that is running when the server stops is returned, and runs after the next start as its first attempt", async () => {
  const logged: string[] = [];
  const service = await start({ EARSHOT_STOP_GRACE: "100ms" }, logged);
  const key = await service.makeKey();
  const begun = Promise.withResolvers<void>();
  service.context.archive.search = () => {
    begun.resolve();
    return new Promise(() => undefined);
  };
  const { uuid } = (await service.submit(key, search("comet"))).json();
  await begun.promise;
  const url = `/v1/search/live/social/status/${uuid}`;
  expect((await service.call(key, { method: "GET", url })).json()).toMatchObject({
    status: "in progress",
    attempts: 1,
  });
  const pending = service.result(key, uuid);
  await service.waitForPending(1);
  const stopped = performance.now();
  await service.stop();
  expect(performance.now() - stopped).toBeLessThan(2_000);
  expect((await pending).json()).toMatchObject({ uuid, status: "in progress" });

  const next = await start({ EARSHOT_DATA_DIR: service.dataDir });
  expect((await next.result(key, uuid)).statusCode).toBe(200);
  expect((await next.call(key, { method: "GET", url })).json()).toMatchObject({
    status: "done",
    attempts: 1,
  });
});

test("the log records what started with which settings, and how it stopped", async () => {
  const logged: string[] = [];
  const service = await start({ EARSHOT_NODE_CONCURRENCY: "3" }, logged);
  await service.stop();
  const lines = logged.map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({
    msg: "starting",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    settings: { EARSHOT_NODE_CONCURRENCY: 3, EARSHOT_INGEST: "off" },
    schema: { control: expect.any(Number), archive: expect.any(Number) },
  });
  expect(lines.map(({ msg }) => msg)).toEqual(["starting", "listening", "stopping", "stopped"]);
  expect(lines.at(-1)).toMatchObject({ ms: expect.any(Number), jobs_waiting: 0 });
});

test("a live window that exceeds the range of dates is unbounded, and a retention of that length ends in the year 9999", async () => {
  const service = await start({
    EARSHOT_LIVE_WINDOW: "103000000d",
    EARSHOT_RESULT_RETENTION: "103000000d",
  });
  const key = await service.makeKey();
  const { uuid } = (await service.submit(key, search("comet"))).json();
  await service.result(key, uuid);
  const url = `/v1/search/live/social/status/${uuid}`;
  const status = await service.call(key, { method: "GET", url });
  expect(status.statusCode, status.body).toBe(200);
  expect(status.json().coverage.from).toBeNull();
  expect(status.json().expires_at).toBe("9999-12-31T23:59:59.999Z");
});
