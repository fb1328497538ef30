import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pino } from "pino";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { result } from "../../src/jobs/test-jobs.ts";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../../testkit/service/webhook-receiver.ts";
import { until } from "../../testkit/until.ts";

let service: ServiceUnderTest;
let receiver: WebhookReceiver;
let key: string;
const logged: string[] = [];

/** Jobs run only when a test leases them. */
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  const settings = {
    EARSHOT_NODE_CONCURRENCY: "0",
    EARSHOT_WEBHOOK_ALLOW_HTTP: "on",
    EARSHOT_WEBHOOK_PRIVATE_HOSTS: receiver.url,
  };
  const log = pino({ level: "trace" }, { write: (line: string) => logged.push(line) });
  service = await startServiceUnderTest(settings, { log });
});
afterAll(async () => {
  await service.remove();
  await receiver.close();
});
beforeEach(async () => {
  key = await service.makeKey();
});

const post = (url: string, body?: unknown, apiKey = key) =>
  service.call(apiKey, {
    method: "POST",
    url,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, payload: JSON.stringify(body) }),
  });
const get = (url: string, apiKey = key) => service.call(apiKey, { method: "GET", url });

async function register(path: string, body: Record<string, unknown> = {}, apiKey = key) {
  const response = await post("/v1/webhooks", { url: receiver.url + path, ...body }, apiKey);
  expect(response.statusCode, response.body).toBe(201);
  return response.json();
}

const sentTo = (path: string): ReceivedWebhook[] =>
  receiver.deliveries.filter((request) => request.path === path);

const waitForRequests = (path: string, count = 1) =>
  until(`${count} deliveries at ${path}`, () =>
    sentTo(path).length >= count ? sentTo(path) : null,
  );

async function fetchDeliveries(id: string, query = "") {
  const response = await get(`/v1/webhooks/${id}/deliveries${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().deliveries;
}

const waitForDelivery = (id: string, expected: Record<string, unknown>) =>
  until(`a delivery of ${JSON.stringify(expected)}`, async () => {
    const [newest] = await fetchDeliveries(id);
    const isMatch = Object.entries(expected).every(([name, value]) => newest?.[name] === value);
    return isMatch ? newest : null;
  });

function verifiedPayload(secret: string, { headers, body }: ReceivedWebhook) {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };
}

async function submit(query = "comet"): Promise<string> {
  return (await service.submit(key, search(query))).json().uuid;
}

async function lease() {
  const { queue } = service.context;
  const leased = await queue.lease({ nodeId: "test", methods: ["searchbyquery"] }, 5_000);
  if (leased === null) throw new Error("no job is waiting");
  return leased;
}

async function finish(): Promise<void> {
  const { uuid, token } = await lease();
  await service.context.queue.complete(uuid, token, result);
}

async function advance(ms: number): Promise<void> {
  service.clock.move(ms);
  service.context.sender.wake();
}

/** Includes the write-ahead log. */
function storedBytes(): string {
  const files = readdirSync(service.dataDir).filter((name) => name.startsWith("control.db"));
  return files.map((name) => readFileSync(join(service.dataDir, name), "latin1")).join("");
}

describe("registering", () => {
  test("registering a webhook returns the secret once, and the webhook's Location", async () => {
    const response = await post("/v1/webhooks", { url: `${receiver.url}/once` });
    expect(response.statusCode).toBe(201);
    const { secret, ...webhook } = response.json();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({
      url: `${receiver.url}/once`,
      events: ["job.done", "job.error", "job.cancelled"],
      status: "enabled",
      disabled_at: null,
    });
    expect(response.headers.location).toBe(`/v1/webhooks/${webhook.id}`);
    expect((await get(`/v1/webhooks/${webhook.id}`)).json()).toEqual(webhook);
    expect((await get("/v1/webhooks")).json()).toEqual({ webhooks: [webhook] });
  });

  test.each([
    ["without TLS", "http://example.com/", "off"],
    ["not HTTP", "ftp://example.com/", "on"],
    ["not a URL", "example.com/hook", "on"],
    ["with credentials", "https://ann:secret@example.com/", "on"],
    ["a private address", "https://10.0.0.1/", "on"],
    ["a private address in hexadecimal", "https://0x7f.1/", "on"],
    ["a private IPv6 address", "https://[::1]/", "on"],
    ["a mapped IPv4 address", "https://[::ffff:169.254.169.254]/latest", "on"],
    ["a cloud metadata address", "http://169.254.169.254/latest/meta-data", "on"],
    ["another port of an allowed host", "http://127.0.0.1:2/", "on"],
    ["a port of another service", "https://example.com:22/", "on"],
    ["too long when percent-encoded", `https://example.com/${"é".repeat(2_000)}`, "on"],
  ])("a webhook URL is rejected: %s", async (_, url, allowHttp) => {
    const { webhooks } = service.context.config;
    const before = webhooks.allowHttp;
    webhooks.allowHttp = allowHttp === "on" ? "on" : "off";
    const response = await post("/v1/webhooks", { url });
    webhooks.allowHttp = before;
    expect(response.json()).toMatchObject({
      status: 400,
      code: "webhook_url_refused",
      errors: [{ code: "webhook_url_refused", pointer: "/url" }],
    });
    expect(response.body).not.toContain("secret");
    expect((await get("/v1/webhooks")).json()).toEqual({ webhooks: [] });
  });

  test.each([
    [{}, "/url"],
    [{ url: 5 }, "/url"],
    [{ url: `https://example.com/${"a".repeat(2_048)}` }, "/url"],
    [{ url: "https://example.com", events: [] }, "/events"],
    [{ url: "https://example.com", events: ["job.done", "job.done"] }, "/events"],
    [{ url: "https://example.com", events: ["job.dune"] }, "/events/0"],
    [{ url: "https://example.com", secret: "mine" }, "/secret"],
  ])("the webhook body %j is rejected at %s", async (body, pointer) => {
    const response = await post("/v1/webhooks", body);
    expect(response.json()).toMatchObject({ code: "invalid_request", errors: [{ pointer }] });
  });

  test("an account is limited to five webhooks, and deleting one makes room", async () => {
    const webhooks = [];
    for (let count = 0; count < 5; count += 1) webhooks.push(await register("/five"));
    const url = `${receiver.url}/six`;
    expect((await post("/v1/webhooks", { url })).json()).toMatchObject({
      status: 409,
      code: "too_many_webhooks",
    });
    const first = `/v1/webhooks/${webhooks[0]?.id}`;
    expect((await service.call(key, { method: "DELETE", url: first })).statusCode).toBe(204);
    expect((await get(first)).statusCode).toBe(404);
    expect((await post("/v1/webhooks", { url })).statusCode).toBe(201);
  });

  withFileStore(
    "registering a webhook leaves no plain-text secret in the store or the log",
    async () => {
      const { id, secret } = await register("/sealed");
      const replaced = (await post(`/v1/webhooks/${id}/secret`)).json();
      await post(`/v1/webhooks/${id}/test`);
      await waitForRequests("/sealed");
      for (const text of [secret, replaced.secret]) {
        const bytes = Buffer.from(text.slice("whsec_".length), "base64").toString("latin1");
        expect(storedBytes()).not.toContain(bytes);
        expect(storedBytes()).not.toContain(text.slice("whsec_".length));
        expect(logged.join("")).not.toContain(text.slice("whsec_".length));
      }
      const secretKey = readFileSync(join(service.dataDir, "secret.key"), "utf8").trim();
      expect(storedBytes() + logged.join("")).not.toContain(secretKey);
    },
  );
});

describe("the end of a job", () => {
  test("the end of a job is delivered immediately, signed as Standard Webhooks requires, without the query or posts", async () => {
    const { id, secret } = await register("/done");
    const uuid = await submit("aurora over the bay");
    await finish();
    const [sent] = await waitForRequests("/done");
    if (sent === undefined) throw new Error("nothing was sent");
    const { type, timestamp, data } = verifiedPayload(secret, sent);
    const status = (await get(`/v1/search/live/social/status/${uuid}`)).json();
    expect(type).toBe("job.done");
    expect(timestamp).toBe(status.finished_at);
    const reported = Object.entries(data).filter(([name]) => name in status);
    expect(Object.fromEntries(reported)).toEqual(
      Object.fromEntries(reported.map(([name]) => [name, status[name]])),
    );
    expect(Object.keys(data)).toEqual([
      "uuid",
      "status",
      "error",
      "platform",
      "type",
      "method",
      "count",
      "complete",
      "submitted_at",
      "finished_at",
      "expires_at",
      "attempts",
      "result_url",
    ]);
    expect(data).toMatchObject({ uuid, status: "done", count: 2 });
    expect((await get(String(data.result_url))).statusCode).toBe(200);
    expect(sent.body).not.toContain("aurora");
    expect(sent.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^earshot\//),
    });
    const recorded = await waitForDelivery(id, { state: "delivered" });
    expect(recorded).toMatchObject({
      id: sent.headers["webhook-id"],
      event: "job.done",
      attempts: 1,
      last_status: 204,
      last_error: null,
      payload: JSON.parse(sent.body),
    });
  });

  test("the end of a job is delivered for each outcome to the webhooks that subscribe to it", async () => {
    await register("/all");
    await register("/errors", { events: ["job.error"] });
    const failed = await submit();
    const { uuid, token } = await lease();
    const failure = { code: "internal", message: "a failure", status: 500, retryable: false };
    await service.context.queue.fail(uuid, token, failure);
    const cancelled = await submit();
    await service.call(key, { method: "DELETE", url: `/v1/search/live/status/${cancelled}` });
    await submit();
    await finish();
    const reported = (await waitForRequests("/all", 3)).map(({ body }) => JSON.parse(body));
    expect(reported.map(({ type }) => type).toSorted()).toEqual([
      "job.cancelled",
      "job.done",
      "job.error",
    ]);
    const errors = (await waitForRequests("/errors")).map(({ body }) => JSON.parse(body));
    expect(errors).toMatchObject([
      {
        type: "job.error",
        data: { uuid: failed, status: "error", error: "a failure", count: null, result_url: null },
      },
    ]);
  });

  test("the end of a job is not delivered to another account or to a deleted webhook", async () => {
    await register("/mine", {}, await service.makeKey());
    const { id } = await register("/deleted");
    await service.call(key, { method: "DELETE", url: `/v1/webhooks/${id}` });
    await register("/present");
    await submit();
    await finish();
    await waitForRequests("/present");
    expect([sentTo("/mine"), sentTo("/deleted")]).toEqual([[], []]);
  });
});

describe("a receiver", () => {
  const sendTest = (id: string) => post(`/v1/webhooks/${id}/test`);

  test("a webhook receiver that fails gets the same message again after five seconds, with a new signature", async () => {
    const { id, secret } = await register("/flaky");
    receiver.responders.set("/flaky", (_request, response) => response.writeHead(500).end("no"));
    expect((await sendTest(id)).json()).toMatchObject({ event: "webhook.test", state: "waiting" });
    const waiting = await waitForDelivery(id, { attempts: 1 });
    expect(waiting).toMatchObject({
      state: "waiting",
      last_status: 500,
      last_error: "returned 500",
    });
    const pause = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at);
    expect(pause).toBeGreaterThanOrEqual(5_000);
    expect(pause).toBeLessThanOrEqual(6_000);
    expect((await get(`/v1/webhooks/${id}`)).json().failing_since).toBe(waiting.last_attempt_at);
    receiver.responders.delete("/flaky");
    await advance(6_001);
    const [first, second] = await waitForRequests("/flaky", 2);
    if (first === undefined || second === undefined) throw new Error("unreachable");
    expect(verifiedPayload(secret, second)).toEqual(verifiedPayload(secret, first));
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.headers["webhook-signature"]).not.toBe(first.headers["webhook-signature"]);
    expect(await waitForDelivery(id, { state: "delivered" })).toMatchObject({ attempts: 2 });
    expect((await get(`/v1/webhooks/${id}`)).json().failing_since).toBeNull();
  });

  test("a webhook receiver's redirect to an internal address is not followed", async () => {
    const { id } = await register("/redirects");
    receiver.responders.set("/redirects", (_request, response) => {
      response.writeHead(307, { location: `${service.url}/metrics` }).end();
    });
    await sendTest(id);
    expect(await waitForDelivery(id, { attempts: 1 })).toMatchObject({
      state: "waiting",
      last_status: 307,
      last_error: "returned 307; redirects are not followed",
    });
  });

  test("a webhook receiver that returns 410 gets no more deliveries until its webhook is enabled again", async () => {
    const { id } = await register("/gone");
    receiver.responders.set("/gone", (_request, response) => response.writeHead(410).end());
    await sendTest(id);
    expect(await waitForDelivery(id, { attempts: 1 })).toMatchObject({
      state: "failed",
      last_status: 410,
    });
    expect((await get(`/v1/webhooks/${id}`)).json()).toMatchObject({
      status: "disabled",
      disabled_reason: "its receiver returned 410 Gone",
    });
    expect((await sendTest(id)).json()).toMatchObject({ status: 409, code: "webhook_disabled" });
    await submit();
    await finish();
    receiver.responders.delete("/gone");
    const [failed] = await fetchDeliveries(id);
    const replay = `/v1/webhooks/${id}/deliveries/${failed.id}/replay`;
    expect((await post(replay)).json()).toMatchObject({ code: "webhook_disabled" });
    const enabled = (await post(`/v1/webhooks/${id}/enable`)).json();
    expect(enabled).toMatchObject({ status: "enabled", disabled_at: null, disabled_reason: null });
    expect((await post(replay)).statusCode).toBe(202);
    expect(await waitForDelivery(id, { state: "delivered" })).toMatchObject({
      id: failed.id,
      attempts: 2,
    });
    expect(await fetchDeliveries(id)).toHaveLength(1);
  });

  test("a webhook receiver that does not respond gets two concurrent deliveries and does not delay others", async () => {
    const slow = await register("/slow");
    const quick = await register("/quick");
    const pending: ServerResponse[] = [];
    receiver.responders.set("/slow", (_request, response) => pending.push(response));
    for (let count = 0; count < 4; count += 1) await sendTest(slow.id);
    await waitForRequests("/slow", 2);
    await sendTest(quick.id);
    await waitForDelivery(quick.id, { state: "delivered" });
    expect(pending).toHaveLength(2);
    receiver.responders.delete("/slow");
    for (const response of pending) response.writeHead(200).end();
    await waitForRequests("/slow", 4);
  });
});

describe("a delivery", () => {
  test("a delivery can be sent again under its own id", async () => {
    const { id, secret } = await register("/again");
    await post(`/v1/webhooks/${id}/test`);
    const { id: deliveryId } = await waitForDelivery(id, { state: "delivered" });
    const response = await post(`/v1/webhooks/${id}/deliveries/${deliveryId}/replay`);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({ id: deliveryId, state: "waiting", delivered_at: null });
    const [first, second] = await waitForRequests("/again", 2);
    if (first === undefined || second === undefined) throw new Error("unreachable");
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(verifiedPayload(secret, second)).toEqual(verifiedPayload(secret, first));
  });

  test("deliveries are listed in pages, newest first, and can be filtered by state", async () => {
    const { id } = await register("/pages");
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.unshift((await post(`/v1/webhooks/${id}/test`)).json().id);
    }
    await waitForRequests("/pages", 5);
    await until("all are delivered", async () =>
      (await fetchDeliveries(id, "?state=delivered")).length === 5 ? true : null,
    );
    const url = `/v1/webhooks/${id}/deliveries?limit=2`;
    const first = (await get(url)).json();
    const second = (await get(`${url}&cursor=${first.next_cursor}`)).json();
    const third = (await get(`${url}&cursor=${second.next_cursor}`)).json();
    const pages = [first, second, third].map(({ deliveries }) =>
      deliveries.map(({ id: deliveryId }: { id: string }) => deliveryId),
    );
    expect(pages.flat()).toEqual(ids);
    expect(third.next_cursor).toBeNull();
    expect(await fetchDeliveries(id, "?state=failed")).toEqual([]);
    expect(await fetchDeliveries(id, "?state=waiting,failed")).toEqual([]);
    expect(await fetchDeliveries(id, "?state=failed,delivered")).toHaveLength(5);
    const { id: other } = await register("/other-pages");
    const foreign = await get(`/v1/webhooks/${other}/deliveries?cursor=${first.next_cursor}`);
    expect(foreign.json()).toMatchObject({ status: 400, code: "cursor_invalid" });
  });

  test.each(["?limit=0", "?limit=101", "?state=gone", "?state=failed,gone", "?page=2"])(
    "the list of deliveries rejects %s",
    async (query) => {
      const { id } = await register("/refused");
      const response = await get(`/v1/webhooks/${id}/deliveries${query}`);
      expect(response.json()).toMatchObject({ status: 400, code: "invalid_request" });
    },
  );

  test.each(["-1", "1", "x", ""])(
    "the list of deliveries rejects the cursor %j",
    async (cursor) => {
      const { id } = await register("/refused");
      const response = await get(`/v1/webhooks/${id}/deliveries?cursor=${cursor}`);
      const errors = [{ code: "cursor_invalid", pointer: "/cursor" }];
      expect(response.json()).toMatchObject({ status: 400, code: "cursor_invalid", errors });
    },
  );
});

test("a webhook request without a body may have a Content-Type", async () => {
  const { id } = await register("/typed");
  const headers = { "content-type": "application/json" };
  const url = `/v1/webhooks/${id}`;
  const tested = await service.call(key, { method: "POST", url: `${url}/test`, headers });
  expect(tested.statusCode).toBe(202);
  expect((await service.call(key, { method: "DELETE", url, headers })).statusCode).toBe(204);
});

test("both secrets sign during a rotation, and a receiver can verify with either", async () => {
  const { id, secret: former } = await register("/rotating");
  const response = await post(`/v1/webhooks/${id}/secret`);
  expect(response.statusCode).toBe(200);
  const { secret, former_secret_until: until } = response.json();
  expect(secret).not.toBe(former);
  expect(Date.parse(until) - service.clock.now()).toBeGreaterThan(23 * 3_600_000);
  await post(`/v1/webhooks/${id}/test`);
  const [sent] = await waitForRequests("/rotating");
  if (sent === undefined) throw new Error("unreachable");
  expect(verifiedPayload(secret, sent)).toEqual(verifiedPayload(former, sent));
  expect(() => verifiedPayload("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", sent)).toThrow();
});

test("another account's webhook and delivery look unknown on every path", async () => {
  const { id } = await register("/theirs");
  await post(`/v1/webhooks/${id}/test`);
  const { id: deliveryId } = await waitForDelivery(id, { state: "delivered" });
  const other = await service.makeKey();
  const own = await register("/own", {}, other);
  const requested = async (path: string, method: "GET" | "POST" | "DELETE") => {
    const response = await service.call(other, { method, url: `/v1/webhooks/${path}` });
    const { request_id: _, ...problem } = response.json();
    return problem;
  };
  const paths = [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/secret"],
    ["POST", "/enable"],
    ["POST", "/test"],
    ["GET", "/deliveries"],
    ["POST", `/deliveries/${deliveryId}/replay`],
  ] as const;
  for (const [method, path] of paths) {
    const absent = await requested(`wh_00000000000000000000${path}`, method);
    expect(absent, path).toMatchObject({ status: 404, code: "webhook_not_found" });
    expect(await requested(id + path, method), path).toEqual(absent);
  }
  const replayed = await requested(`${own.id}/deliveries/${deliveryId}/replay`, "POST");
  expect(replayed).toMatchObject({ status: 404, code: "delivery_not_found" });
  expect((await get(`/v1/webhooks/${id}`)).json()).toMatchObject({ status: "enabled" });
  expect((await get("/v1/webhooks", other)).json().webhooks).toHaveLength(1);
});

test("the metrics count deliveries by outcome and report the queue length", async () => {
  const { id } = await register("/counted");
  await post(`/v1/webhooks/${id}/test`);
  await waitForDelivery(id, { state: "delivered" });
  const text = await service.context.metrics.text();
  expect(text).toMatch(/^earshot_webhook_deliveries_total\{outcome="delivered"\} [1-9]\d*$/m);
  expect(text).toMatch(/^earshot_webhook_deliveries_waiting \d+$/m);
});
