import { once } from "node:events";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTo } from "../../testkit/service/connect-to.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

const path = "/v1/search/live/social";
const json = { "content-type": "application/json" };

/** Runs no jobs, so requests keep waiting. */
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_NODE_CONCURRENCY: "0" });
});
afterAll(() => service.remove());

async function revoke(key: string): Promise<void> {
  const id = key.split("_")[1] ?? "";
  const nowMs = service.clock.now();
  await service.context.store.write("revokeKey", { id, actor: "command_line", nowMs });
}

type TestRequest = { method: "GET" | "POST"; url: string; body?: unknown; headers?: object };

const answerTo = (key: string, { method, url, body, headers }: TestRequest) =>
  fetch(`${service.url}${url}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function expectEnded(response: Response): Promise<void> {
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain("Bearer");
  expect(response.headers.get("cache-control")).toBe("private, no-store");
  for (const field of ["location", "x-job-uuid", "x-next-cursor", "x-coverage", "ratelimit"]) {
    expect(response.headers.get(field), field).toBeNull();
  }
  expect(await response.json()).toMatchObject({
    code: "unauthorized",
    detail: "the API key or session ended during the request",
  });
}

describe("a request that is open when its key is revoked", () => {
  const query = { query: "comet" };

  test.each<[string, TestRequest]>([
    [
      "a submission that prefers to wait",
      { method: "POST", url: path, body: search("comet"), headers: { prefer: "wait=30" } },
    ],
    [
      "a search in one call",
      { method: "POST", url: "/v1/search/social", body: { ...search("comet"), wait: 30 } },
    ],
    [
      "a search in one request",
      { method: "POST", url: "/api/v1/data/social/tweets/recent", body: query },
    ],
  ])("an open request gets 401 after its key is revoked: %s", async (_, requested) => {
    const key = await service.makeKey();
    const response = answerTo(key, requested);
    await service.waitForPending(1);
    await revoke(key);
    await expectEnded(await response);
    await service.waitForPending(0);
  });

  test.each(["status", "result"])(
    "a pending read of the %s gets 401 after its key is revoked",
    async (what) => {
      const key = await service.makeKey();
      const { uuid } = (await service.submit(key, search("comet"))).json();
      const response = answerTo(key, { method: "GET", url: `${path}/${what}/${uuid}?wait=30` });
      await service.waitForPending(1);
      await revoke(key);
      await expectEnded(await response);
      await service.waitForPending(0);
    },
  );

  test.each(["", "uuid"])(
    'a stream of events with the filter "%s" is closed after its key is revoked',
    async (filter) => {
      const key = await service.makeKey();
      const { uuid } = (await service.submit(key, search("comet"))).json();
      const url = filter === "" ? `${path}/events` : `${path}/events?uuid=${uuid}`;
      const stream = await answerTo(key, { method: "GET", url });
      expect(stream.status).toBe(200);
      await revoke(key);
      await stream.text();
      await service.waitForPending(0);
    },
  );

  test("a read that is delayed by its rate gets 401 after its key is revoked", async () => {
    const key = await service.makeKey({ requestsPerSecond: 1 });
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const response = answerTo(key, { method: "GET", url: `${path}/status/${uuid}` });
    const limiter = service.context.http.limiter;
    const keyId = key.split("_")[1] ?? "";
    const rated = { keyId, accountId: "", requestsPerSecond: 1, submissionsPerMinute: null };
    await until("the read is rate limited", async () => {
      const { policies } = await limiter.state({ ...rated, ratesKeyId: keyId, methods: null });
      return (policies[0]?.growsInMs ?? 0) > 1_000 ? true : null;
    });
    await revoke(key);
    await expectEnded(await response);
  });

  test("a request whose body arrives slowly gets 401 after its key is revoked", async () => {
    const key = await service.makeKey();
    const body = JSON.stringify(search("comet"));
    const socket = await connectTo(service.url);
    let text = "";
    socket.on("data", (bytes) => {
      text += String(bytes);
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await until("the key was checked", async () => {
      const rates = await service.context.http.limiter.state({
        keyId: key.split("_")[1] ?? "",
        ratesKeyId: key.split("_")[1] ?? "",
        accountId: "",
        requestsPerSecond: 1_000_000,
        submissionsPerMinute: null,
        methods: null,
      });
      return (rates.policies[0]?.remaining ?? 1_000_000) < 1_000_000 ? true : null;
    });
    await revoke(key);
    service.clock.move(1_000);
    socket.write(body.slice(5));
    await once(socket, "close");
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).toContain('"uuid":""');
  });
});

test("a long response that is read slowly is cut off when its key is revoked", async () => {
  const key = await service.makeKey();
  await service.submit(key, search("comet"));
  const { jobs } = service.context.http;
  const { list } = jobs;
  jobs.list = async (...requested) => {
    const page = await list(...requested);
    return { ...page, jobs: Array.from({ length: 50_000 }, () => page.jobs[0] ?? []).flat() };
  };
  const accepted: Socket[] = [];
  service.app.server.on("connection", (connection: Socket) => accepted.push(connection));
  try {
    const socket = await connectTo(service.url);
    socket.on("error", () => undefined).pause();
    socket.write(`GET ${path}/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const serverSocket = await until(
      "the server has more to write than fits in the buffers",
      () => accepted.find(({ writableLength }) => writableLength > 1_000_000) ?? null,
    );
    await revoke(key);
    await once(serverSocket, "close");
    socket.destroy();
  } finally {
    jobs.list = list;
  }
});

describe("a revocation in the dashboard", () => {
  async function sessionKey(session: Awaited<ReturnType<ServiceUnderTest["signIn"]>>) {
    const created = await service.callAs(session, {
      method: "POST",
      url: "/dashboard/api/keys",
      headers: json,
      payload: JSON.stringify({ name: "laptop" }),
    });
    const { key, token } = created.json();
    return { id: String(key.id), token: String(token) };
  }

  test("revoking a key in the dashboard takes effect before the response", async () => {
    const session = await service.signIn();
    const { id, token } = await sessionKey(session);
    const stream = await answerTo(token, { method: "GET", url: `${path}/events` });
    await service.waitForPending(1);
    const url = `/dashboard/api/keys/${id}`;
    const revoked = await service.callAs(session, { method: "DELETE", url });
    expect(revoked.statusCode).toBe(204);
    const metrics = await service.context.http.metrics.text();
    expect(metrics).toMatch(/^earshot_waiting_requests 0$/m);
    await stream.text();
  });

  test("deleting an account in the dashboard ends its open requests and streams", async () => {
    const session = await service.signIn();
    const { token } = await sessionKey(session);
    const { uuid } = (await service.submit(token, search("comet"))).json();
    const response = answerTo(token, { method: "GET", url: `${path}/result/${uuid}?wait=30` });
    const stream = await answerTo(token, { method: "GET", url: `${path}/events` });
    await service.waitForPending(2);
    const page = await service.callAs(session, { url: "/dashboard/api/session" });
    const { account } = page.json().signed_in;
    const deleted = await service.callAs(session, {
      method: "DELETE",
      url: "/dashboard/api/account",
      headers: json,
      payload: JSON.stringify({ confirm: account.name }),
    });
    expect(deleted.statusCode, deleted.body).toBe(204);
    await expectEnded(await response);
    await stream.text();
  });
});
