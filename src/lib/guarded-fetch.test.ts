import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { createGuard, type Resolve } from "./guard.ts";
import { createGuardedFetch, type GuardedClient } from "./guarded-fetch.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Host = { url: string; port: number; requests: string[] };

async function host(respond: RequestListener): Promise<Host> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    respond(request, response);
  });
  server.on("connection", (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

const limits = { timeoutMs: 5_000, maxBytes: 100_000, maxRedirects: 3 };

function client(
  allowed: readonly string[],
  { resolve, ...settings }: Partial<typeof limits> & { resolve?: Resolve } = {},
): GuardedClient {
  const created = createGuardedFetch({
    guard: createGuard(allowed, { resolve }),
    userAgent: "earshot-test/1",
    ...limits,
    ...settings,
  });
  closers.push(created.close);
  return created;
}

const errorWith = (code: string) => expect.objectContaining({ name: "EarshotError", code });

describe("response", () => {
  test("a 404 response is returned with its status, headers and body", async () => {
    const { url } = await host((request, response) => {
      response.writeHead(404, { "x-received": request.headers["user-agent"] });
      response.end(JSON.stringify({ error: "é" }));
    });
    const fetchedResponse = await client([url])(`${url}/x`);
    expect([
      fetchedResponse.status,
      fetchedResponse.headers.get("x-received"),
      fetchedResponse.text(),
    ]).toEqual([404, "earshot-test/1", '{"error":"é"}']);
    expect(fetchedResponse.json()).toEqual({ error: "é" });
  });

  test("reading a response that is not JSON throws answer_unreadable", async () => {
    const { url } = await host((_request, response) => response.end("<html>"));
    const fetchedResponse = await client([url])(url);
    expect(() => fetchedResponse.json()).toThrow(errorWith("answer_unreadable"));
  });

  test("reading a JSON response with too many names throws answer_unreadable", async () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `"n${n}":1`);
    const { url } = await host((_request, response) => response.end(`{${names.join(",")}}`));
    const fetchedResponse = await client([url], { maxBytes: 4_194_304 })(url);
    expect(() => fetchedResponse.json()).toThrow("has more than 5000 different names");
    expect(() => fetchedResponse.json()).toThrow(errorWith("answer_unreadable"));
  });

  test("a POST request sends its body", async () => {
    const { url } = await host((request, response) => request.pipe(response));
    const fetchedResponse = await client([url])(url, { method: "POST", body: "body" });
    expect(fetchedResponse.text()).toBe("body");
  });
});

describe("allowed addresses", () => {
  test.each(["http://127.0.0.1:PORT", "http://2130706433:PORT", "http://[::ffff:127.0.0.1]:PORT"])(
    "the guard refuses the address %s",
    async (form) => {
      const { port, requests } = await host((_request, response) => response.end());
      const fetchedResponse = client([])(form.replace("PORT", String(port)));
      await expect(fetchedResponse).rejects.toEqual(errorWith("address_refused"));
      expect(requests).toEqual([]);
    },
  );

  test("a name that resolves to a private address only when connecting is refused", async () => {
    const { port, requests } = await host((_request, response) => response.end());
    const addresses = ["8.8.8.8", "127.0.0.1"];
    const rebinding: Resolve = (_hostname, _options, done) =>
      done(null, [{ address: addresses.shift() ?? "127.0.0.1", family: 4 }]);
    const before = await new Promise((resolve) => {
      rebinding("name.example", { all: true }, (_error, found) => resolve(found[0]?.address));
    });
    expect(before).toBe("8.8.8.8");
    const fetchedResponse = client([], { resolve: rebinding })(`http://name.example:${port}/`);
    await expect(fetchedResponse).rejects.toEqual(errorWith("upstream_unreachable"));
    expect(requests).toEqual([]);
  });

  test.each(["file:///etc/passwd", "ftp://host.example/", "http://name:word@host.example/", "x"])(
    "the guard refuses the malformed or unsupported address %s",
    async (address) => {
      await expect(client([])(address)).rejects.toEqual(errorWith("address_refused"));
    },
  );
});

describe("redirect", () => {
  const redirecting = (status: number, to: () => string): RequestListener => {
    return (_request, response) => {
      response.writeHead(status, { location: to() });
      response.end("moved");
    };
  };

  test("a redirect to an allowed address is followed", async () => {
    const last = await host((_request, response) => response.end("here"));
    const first = await host(redirecting(302, () => `${last.url}/there`));
    const fetchedResponse = await client([first.url, last.url])(first.url);
    expect(fetchedResponse.text()).toBe("here");
    expect(last.requests).toEqual(["GET /there"]);
  });

  test("a redirect to a non-public address is refused, and nothing is sent there", async () => {
    const inner = await host((_request, response) => response.end("secret"));
    const first = await host(redirecting(307, () => inner.url));
    await expect(client([first.url])(first.url)).rejects.toEqual(errorWith("address_refused"));
    expect(inner.requests).toEqual([]);
  });

  test("a redirect to another scheme is refused", async () => {
    const first = await host(redirecting(302, () => "file:///etc/passwd"));
    await expect(client([first.url])(first.url)).rejects.toEqual(errorWith("address_refused"));
  });

  test("a redirect sends credentials only to the same host", async () => {
    const received: Record<string, unknown> = {};
    const other = await host((request, response) => {
      received.other = [
        request.headers.authorization,
        request.headers["x-key"],
        request.headers.accept,
      ];
      response.end();
    });
    const first = await host((request, response) => {
      received[request.url ?? ""] = request.headers.authorization;
      const to = request.url === "/a" ? "/b" : other.url;
      response.writeHead(302, { location: to }).end();
    });
    const headers = { Authorization: "Bearer secret", "x-key": "secret", accept: "text/plain" };
    await client([first.url, other.url])(`${first.url}/a`, { headers });
    expect(received).toEqual({
      "/a": "Bearer secret",
      "/b": "Bearer secret",
      other: [undefined, undefined, "text/plain"],
    });
  });

  test("a redirect with a body is not followed to another host", async () => {
    const other = await host((_request, response) => response.end());
    const first = await host(redirecting(307, () => other.url));
    const fetchedResponse = client([first.url, other.url])(first.url, {
      method: "POST",
      body: "secret",
    });
    await expect(fetchedResponse).rejects.toEqual(errorWith("address_refused"));
    expect(other.requests).toEqual([]);
  });

  test("a redirect beyond the maximum number is not followed", async () => {
    const first = await host(redirecting(302, () => "/again"));
    await expect(client([first.url])(first.url)).rejects.toThrow(/redirected more than 3 times/);
    expect(first.requests).toHaveLength(4);
  });
});

describe("endless response", () => {
  test("an endless response is aborted at the maximum size", async () => {
    const piece = Buffer.alloc(64 * 1024);
    const endless = await host((_request, response) => {
      const write = () => {
        while (response.writable && response.write(piece));
        response.once("drain", write);
      };
      write();
    });
    await expect(client([endless.url])(endless.url)).rejects.toEqual(errorWith("answer_too_large"));
  });

  test("a compressed response is aborted at the maximum decompressed size", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const { url } = await host((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const before = process.memoryUsage().arrayBuffers;
    await expect(client([url])(url)).rejects.toEqual(errorWith("answer_too_large"));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
  });

  test("an endless response that arrives slowly times out", async () => {
    const { url } = await host((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(timer));
    });
    const fetchedResponse = client([url], { timeoutMs: 300 })(url);
    await expect(fetchedResponse).rejects.toMatchObject({
      code: "upstream_timeout",
      retryable: true,
    });
  });

  test("a response that never begins times out", async () => {
    const { url } = await host(() => {});
    const response = client([url])(url, { timeoutMs: 200 });
    await expect(response).rejects.toMatchObject({ code: "upstream_timeout", retryable: true });
  });

  test("an endless response ends when the caller aborts, with the caller's reason", async () => {
    const { url } = await host((_request, response) => response.writeHead(200).write("."));
    const caller = new AbortController();
    const fetchedResponse = client([url])(url, { signal: caller.signal });
    caller.abort(new Error("enough"));
    await expect(fetchedResponse).rejects.toThrow("enough");
  });
});

describe("host that does not respond", () => {
  test("a host that refuses the connection is reported as unreachable", async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const url = `http://127.0.0.1:${port}`;
    await expect(client([url])(url)).rejects.toMatchObject({
      code: "upstream_unreachable",
      retryable: true,
      message: `127.0.0.1:${port} is unreachable: ECONNREFUSED`,
    });
  });

  test("a host that closes the connection during the body is reported as unreachable", async () => {
    const { url } = await host((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    });
    await expect(client([url])(url)).rejects.toMatchObject({ code: "upstream_unreachable" });
  });

  test("a host with an unknown name is reported as unreachable", async () => {
    const unknown: Resolve = (_hostname, _options, done) =>
      done(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
    const response = client([], { resolve: unknown })("http://name.example/");
    await expect(response).rejects.toThrow("name.example does not resolve to a public address");
  });
});

describe("streamed response", () => {
  test("a streamed response arrives completely, in pieces of at most 1 MiB", async () => {
    const total = 40 * 1024 * 1024;
    const { url } = await host((_request, response) => {
      let remaining = total;
      const write = () => {
        while (remaining > 0) {
          remaining -= 1024 * 1024;
          if (!response.write(Buffer.alloc(1024 * 1024))) break;
        }
        if (remaining > 0) response.once("drain", write);
        else response.end();
      };
      write();
    });
    const fetchedResponse = await client([url]).stream(url, { maxBytes: total });
    let bytes = 0;
    let largest = 0;
    for await (const piece of fetchedResponse.pieces) {
      bytes += piece.byteLength;
      largest = Math.max(largest, piece.byteLength);
    }
    expect(bytes).toBe(total);
    expect(largest).toBeLessThanOrEqual(1024 * 1024);
  });

  test("a streamed response is aborted at the maximum size", async () => {
    const { url } = await host((_request, response) => response.end(Buffer.alloc(2_000)));
    const fetchedResponse = await client([url]).stream(url, { maxBytes: 1_999 });
    const read = async () => {
      for await (const _piece of fetchedResponse.pieces);
    };
    await expect(read()).rejects.toEqual(errorWith("answer_too_large"));
  });

  test("a streamed response closes its connection if the reader stops", async () => {
    const closed = Promise.withResolvers<void>();
    const { url } = await host((_request, response) => {
      response.writeHead(200).write("first");
      response.on("close", () => closed.resolve());
    });
    const fetchedResponse = await client([url]).stream(url);
    for await (const _piece of fetchedResponse.pieces) break;
    await closed.promise;
  });

  test("a streamed response closes its connection if it is cancelled before it is read", async () => {
    const closed = Promise.withResolvers<void>();
    const { url } = await host((_request, response) => {
      response.writeHead(500).write("first");
      response.on("close", () => closed.resolve());
    });
    const fetchedResponse = await client([url]).stream(url);
    expect(fetchedResponse.status).toBe(500);
    await fetchedResponse.cancel();
    await closed.promise;
  });
});
