import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTo } from "../../testkit/service/connect-to.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

const path = "/v1/search/live/social";
const bodyBytes = 65_536;

let service: ServiceUnderTest;
let key: string;
beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_REQUEST_TIMEOUT: "1s",
    EARSHOT_IDLE_TIMEOUT: "1500ms",
    EARSHOT_MAX_CONNECTIONS: "50",
    EARSHOT_CONNECTION_SHARE: "100",
  });
  key = await service.makeKey();
});
afterAll(() => service.remove());

async function openConnection(): Promise<{
  socket: Socket;
  answer(): string;
  ended: Promise<unknown>;
}> {
  const socket = await connectTo(service.url);
  let text = "";
  socket.on("data", (bytes) => {
    text += String(bytes);
  });
  socket.on("error", () => undefined);
  const ended = new Promise((resolve) => socket.once("close", resolve));
  return { socket, answer: () => text, ended };
}

async function exchange(...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const { socket, answer, ended } = await openConnection();
  for (const piece of pieces) socket.write(piece);
  await ended;
  return answer();
}

const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const head = (line: string, ...fields: readonly string[]): string =>
  [line, "Host: a", `Authorization: Bearer ${key}`, ...fields, "", ""].join("\r\n");

const closingHead = (line: string, ...fields: readonly string[]): string =>
  head(line, "Connection: close", ...fields);

/** Concurrent, because each test waits for a time limit. */
describe.concurrent("oversized or slow input", () => {
  const padded = (bytes: number): string => {
    const body = JSON.stringify(search("comet"));
    return `${body}${" ".repeat(bytes - body.length)}`;
  };

  const unwanted = [
    ["with a length, too large", "Content-Length: 104857600", true, 413],
    ["in pieces, too large", "Transfer-Encoding: chunked", true, 413],
    ["of an unauthenticated client", "Transfer-Encoding: chunked", false, 401],
  ] as const;

  test("a request with a rejected body is answered and its connection closed before 100 MiB are sent", async () => {
    await Promise.all(unwanted.map(expectCut));
  });

  async function expectCut([what, field, isKnown, status]: (typeof unwanted)[number]) {
    const { socket, answer, ended } = await openConnection();
    const line = head(`POST ${path} HTTP/1.1`, "Content-Type: application/json", field);
    socket.write(isKnown ? line : line.replace(key, "nobody"));
    const piece = `10000\r\n${" ".repeat(bodyBytes)}\r\n`;
    const sending = setInterval(() => socket.write(piece), 5);
    await ended;
    clearInterval(sending);
    expect(statuses(answer()), what).toEqual([status]);
    expect(socket.bytesWritten).toBeLessThan(100 * 1024 ** 2);
  }

  const unfinished = [
    ["does not end its header", "GET /livez HTTP/1.1\r\nHost: a\r\nX-More: "],
    [
      "does not end its body",
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90\r\n`,
    ],
  ] as const;

  test("a client that never finishes its request gets 408 and is disconnected", async () => {
    await Promise.all(unfinished.map(expectTimeout));
  });

  async function expectTimeout([what, beginning]: (typeof unfinished)[number]) {
    const { socket, answer, ended } = await openConnection();
    const isBody = beginning.startsWith("POST");
    socket.write(isBody ? `${beginning}Authorization: Bearer ${key}\r\n\r\n` : beginning);
    const dribble = setInterval(() => socket.write("a"), 100);
    await ended;
    clearInterval(dribble);
    expect(statuses(answer()), what).toEqual([408]);
    expect(answer()).toContain('"code":"request_timeout"');
  }

  test("a client that sends nothing is disconnected", async () => {
    const { ended } = await openConnection();
    await ended;
  });

  test("a client that does not read its responses is disconnected", async () => {
    const connections = new Set<Socket>();
    service.app.server.on("connection", (accepted: Socket) => connections.add(accepted));
    const socket = await connectTo(service.url);
    socket.on("error", () => undefined).pause();
    const serverSocket = await until(
      "the server side of the connection",
      () => [...connections].find(({ remotePort }) => remotePort === socket.localPort) ?? null,
    );
    // More responses than the buffers hold.
    const request = head("GET /openapi.json HTTP/1.1");
    socket.write(request.repeat(200));
    await until("the end of the connection", () => (serverSocket.destroyed ? true : null));
    socket.destroy();
  });

  test("a waiting request ends when its client disconnects", async () => {
    const idle = await startServiceUnderTest({ EARSHOT_NODE_CONCURRENCY: "0" });
    try {
      const owner = await idle.makeKey();
      const { uuid } = (await idle.submit(owner, search("comet"))).json();
      const socket = await connectTo(idle.url);
      socket.on("error", () => undefined);
      socket.write(
        `GET ${path}/result/${uuid}?wait=30 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${owner}\r\n\r\n`,
      );
      await idle.waitForPending(1);
      socket.resetAndDestroy();
      await idle.waitForPending(0);
    } finally {
      await idle.remove();
    }
  });

  test("a body is accepted up to exactly the size limit, with and without Content-Length", async () => {
    for (const [bytes, status] of [
      [bodyBytes, 202],
      [bodyBytes + 1, 413],
    ] as const) {
      const post = { method: "POST", headers: { "content-type": "application/json" } };
      const authorized = {
        ...post,
        headers: { ...post.headers, authorization: `Bearer ${key}` },
      };
      const whole = await fetch(`${service.url}${path}`, { ...authorized, body: padded(bytes) });
      expect(whole.status).toBe(status);
      const chunked = await fetch(`${service.url}${path}`, {
        ...authorized,
        body: new Blob([padded(bytes)]).stream(),
        duplex: "half",
      } as RequestInit);
      expect(chunked.status).toBe(status);
    }
  });

  test("a compressed body is rejected with 415", async () => {
    for (const encoding of ["gzip", "br", "deflate", "zstd", "identity, gzip"]) {
      const response = await service.call(key, {
        method: "POST",
        url: path,
        headers: { "content-type": "application/json", "content-encoding": encoding },
        payload: Buffer.alloc(bodyBytes),
      });
      expect(response.statusCode, encoding).toBe(415);
    }
  });
});

test("connections are limited, and closing them makes room", async () => {
  const many = await Promise.all(Array.from({ length: 50 }, openConnection));
  const refused = await exchange("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i);
  for (const { socket } of many) socket.destroy();
  await Promise.all(many.map(({ ended }) => ended));
  expect((await fetch(`${service.url}/livez`)).status).toBe(200);
});

test("an address that uses up its share of connections gets 503, and other addresses are served", async () => {
  const small = await startServiceUnderTest({ EARSHOT_MAX_CONNECTIONS: "60" });
  const idle: Socket[] = [];
  try {
    const { hostname, port } = new URL(small.url);
    for (let n = 0; n < 15; n += 1) idle.push(await connectTo(small.url));
    const refused = await fetch(`${small.url}/livez`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("connection")).toBe("close");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ code: "unavailable", retryable: true });

    const other = connect({ host: hostname, port: Number(port), localAddress: "127.0.0.2" });
    let text = "";
    other.on("data", (bytes) => {
      text += String(bytes);
    });
    other.write("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await once(other, "close");
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of idle) socket.destroy();
    await small.remove();
  }
});

describe("a request that two servers could parse differently is rejected", () => {
  const smuggled = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";

  test.each([
    ["a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["two lengths", ["Content-Length: 0", "Content-Length: 38"], ""],
    ["a length that is not a number", ["Content-Length: +0"], ""],
    ["an unknown coding", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
    ["a space before the colon", ["Content-Length : 0"], ""],
    ["a field that continues on the next line", ["X-A: b\r\n Content-Length: 0"], ""],
    ["a bare line feed", ["X-A: b\nContent-Length: 0"], ""],
    ["a NUL in a field", ["X-A: \u0000"], ""],
  ])(
    "a request that two servers could parse differently is rejected: %s",
    async (_, fields, body) => {
      const post = head(`POST ${path} HTTP/1.1`, "Content-Type: application/json", ...fields);
      const answer = await exchange(`${post}${body}${smuggled}`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).not.toContain("earshot_");
    },
  );

  test("a request line that is not HTTP is rejected", async () => {
    for (const line of ["GET\r\n\r\n", "\u0016\u0003\u0001\u0002", "GET / HTTP/9.9\r\n\r\n"]) {
      expect(statuses(await exchange(line)), line).toEqual([400]);
    }
  });
});

describe("unusual requests", () => {
  test("an absolute request target is treated as its path, regardless of the host that it names", async () => {
    const answer = await exchange(closingHead("GET http://other.example/livez HTTP/1.1"));
    expect(statuses(answer)).toEqual([200]);
  });

  test("an HTTP/1.0 request is answered, and its connection is closed", async () => {
    const answer = await exchange("GET /livez HTTP/1.0\r\n\r\n");
    expect(statuses(answer)).toEqual([200]);
  });

  test("a request with Expect: 100-continue gets 100, then the response", async () => {
    const body = JSON.stringify(search("comet"));
    const answer = await exchange(
      closingHead(
        `POST ${path} HTTP/1.1`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "Expect: 100-continue",
      ),
      body,
    );
    expect(statuses(answer)).toEqual([100, 202]);
  });

  test("an Upgrade header is ignored in requests", async () => {
    const upgradeFields = ["Upgrade: h2c, websocket", "HTTP2-Settings: AAMAAABkAAQAAP__"];
    const fields = ["Connection: close, Upgrade", ...upgradeFields];
    expect(statuses(await exchange(head("GET /livez HTTP/1.1", ...fields)))).toEqual([200]);
  });

  test("CONNECT opens no tunnel", async () => {
    const answer = await exchange("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n");
    expect(statuses(answer).filter((status) => status < 400)).toEqual([]);
  });

  test("pipelined requests are answered in order", async () => {
    const answer = await exchange(
      head("GET /livez HTTP/1.1"),
      head("GET /nothing HTTP/1.1"),
      head(`GET ${path}/status/0f8fad5b-d9cb-469f-a165-70867728950e HTTP/1.1`),
      closingHead("GET /readyz HTTP/1.1"),
    );
    expect(statuses(answer)).toEqual([200, 404, 404, 200]);
  });

  test("an overlong path is rejected on any route", async () => {
    const long = "a".repeat(20_000);
    for (const target of [`/${long}`, `/livez?${long}`, `${path}/status/${long}`]) {
      expect(statuses(await exchange(head(`GET ${target} HTTP/1.1`)))).toEqual([431]);
    }
  });
});
