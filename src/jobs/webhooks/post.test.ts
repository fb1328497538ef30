import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createGuard, type Resolve } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import { createPostDelivery } from "./post.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function receiver(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  server.on("connection", (socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const nowMs = Date.parse("2026-01-31T12:00:00Z");
const message = { body: "{}", fields: { "webhook-id": "msg_1" } };

function post(
  url: string,
  {
    allowed = [url],
    timeoutMs = 5_000,
    resolve,
    signal = new AbortController().signal,
  }: {
    allowed?: string[];
    timeoutMs?: number;
    resolve?: Resolve;
    signal?: AbortSignal;
  } = {},
) {
  const client = createGuardedFetch({
    guard: createGuard(allowed, { resolve }),
    userAgent: "earshot/test",
    timeoutMs,
    maxBytes: 1_024,
    maxRedirects: 0,
  });
  closers.push(client.close);
  return createPostDelivery(client, { timeoutMs, now: () => nowMs })({ url, ...message }, signal);
}

test("a webhook delivery sends its body and headers by POST", async () => {
  const requests: unknown[] = [];
  const url = await receiver((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      requests.push(
        request.method,
        body,
        request.headers["webhook-id"],
        request.headers["content-type"],
      );
      response.writeHead(202).end();
    });
  });
  expect(await post(url)).toEqual({ kind: "delivered", status: 202 });
  expect(requests).toEqual(["POST", "{}", "msg_1", "application/json"]);
});

test("a webhook receiver's 410 response has the outcome `gone`", async () => {
  const url = await receiver((_request, response) => response.writeHead(410).end());
  expect(await post(url)).toEqual({ kind: "gone", status: 410 });
});

test.each([
  ["a number of seconds", "120", 120_000],
  ["a date", "Sat, 31 Jan 2026 12:01:00 GMT", 60_000],
  ["a date that has passed", "Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["nonsense", "soon", null],
  ["a negative number", "-5", null],
])("the Retry-After header of a rejected delivery may be %s", async (_, value, retryAfterMs) => {
  const url = await receiver((_request, response) => {
    response.writeHead(429, { "retry-after": value }).end();
  });
  const outcome = await post(url);
  if (outcome.kind !== "failed") throw new Error(outcome.kind);
  expect(outcome).toMatchObject({ status: 429, error: "returned 429" });
  expect(outcome.retryAfterMs || null).toBe(retryAfterMs || null);
});

test.each([301, 302, 303, 307, 308])("a delivery's %i redirect is not followed", async (status) => {
  const requests: string[] = [];
  const url = await receiver((request, response) => {
    requests.push(request.url ?? "");
    response.writeHead(status, { location: "/elsewhere" }).end();
  });
  expect(await post(url)).toMatchObject({ kind: "failed", status });
  expect(requests).toEqual(["/"]);
});

test.each<[string, RequestListener]>([
  [
    "is cut off",
    (_request, response) => {
      response.writeHead(200, { "content-length": "900" });
      response.write("half", () => response.destroy());
    },
  ],
  [
    "has no end",
    (_request, response) => {
      response.writeHead(200);
      const write = () => {
        while (response.writable && response.write(Buffer.alloc(65_536)));
        response.once("drain", write);
      };
      write();
    },
  ],
  [
    "drips",
    (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(timer));
    },
  ],
  [
    "is labelled as compressed but is not",
    (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("plain");
    },
  ],
])("the body of a 2xx response is ignored, even if it %s", async (_, respond) => {
  const url = await receiver(respond);
  expect(await post(url, { timeoutMs: 300 })).toEqual({ kind: "delivered", status: 200 });
});

test("a delivery fails if the receiver does not respond in time", async () => {
  const url = await receiver(() => undefined);
  const { host } = new URL(url);
  expect(await post(url, { timeoutMs: 100 })).toEqual({
    kind: "failed",
    status: null,
    error: `${host} timed out`,
    retryAfterMs: null,
  });
});

test.each([
  "",
  "HTTP/1.1 20",
  "SSH-2.0-OpenSSH_9.9\r\n",
  `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}`,
])("a delivery fails if the response is not HTTP (%#)", async (bytes) => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await post(url)).toMatchObject({ kind: "failed", status: null });
});

test("a delivery to a name with a private address fails like one to a missing name", async () => {
  const inwards: Resolve = (_hostname, _options, done) =>
    done(null, [{ address: "169.254.169.254", family: 4 }]);
  const absent: Resolve = (_hostname, _options, done) =>
    done(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
  for (const resolve of [inwards, absent]) {
    expect(await post("https://rebinding.example/", { allowed: [], resolve })).toEqual({
      kind: "failed",
      status: null,
      error: "rebinding.example does not resolve to a public address",
      retryAfterMs: null,
    });
  }
});

test("an aborted delivery attempt rejects without an outcome", async () => {
  const stopping = new AbortController();
  const url = await receiver(() => stopping.abort(new Error("the server is stopping")));
  await expect(post(url, { signal: stopping.signal })).rejects.toThrow("the server is stopping");
});
