import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

export type UpstreamReply = (request: IncomingMessage, response: ServerResponse) => void;

/** Each request gets the next reply of `script`, then `defaultReply`. */
export type HostileUpstream = {
  url: string;
  script: UpstreamReply[];
  defaultReply: UpstreamReply;
  requests: { path: string; authorization: string | undefined; atMs: number }[];
  close(): Promise<void>;
};

export async function startHostileUpstream(
  defaultReply: UpstreamReply = jsonReply({}),
): Promise<HostileUpstream> {
  const server = createServer((request, response) => {
    const { url: path = "", headers } = request;
    const { authorization } = headers;
    upstream.requests.push({ path, authorization, atMs: performance.now() });
    (upstream.script.shift() ?? upstream.defaultReply)(request, response);
  });
  server.on("connection", (socket: Socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const upstream: HostileUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script: [],
    defaultReply,
    requests: [],
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return upstream;
}

type Fields = Readonly<Record<string, string>>;

export const jsonReply =
  (body: unknown, headers: Fields = {}): UpstreamReply =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export const replyWith =
  (status: number, headers: Fields = {}, body: string | Buffer = ""): UpstreamReply =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

export const noReply: UpstreamReply = () => {};

export const stuckInBody: UpstreamReply = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"items":[');
};

/** Slow, but never idle. */
export const trickledBody: UpstreamReply = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(timer));
};

export const truncatedBody: UpstreamReply = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"items":[', () => response.destroy());
};

/** Ends early without an error. */
export const shortBody = replyWith(
  200,
  { "content-type": "application/json" },
  '{"items":[{"id":"1"},{"i',
);

export const closedConnection: UpstreamReply = (request) => {
  request.socket.destroy();
};

export const garbage: UpstreamReply = (request) => {
  request.socket.end("SSH-2.0-OpenSSH_9.6\r\n\0\xff\xfe\r\n\r\n");
};

export const endlessBody: UpstreamReply = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const writeMore = () => {
    if (response.destroyed) return;
    response.write(" ".repeat(65_536), () => setImmediate(writeMore));
  };
  writeMore();
};

export const gzipBomb = (bytes: number): UpstreamReply =>
  replyWith(
    200,
    { "content-type": "application/json", "content-encoding": "gzip" },
    gzipSync(Buffer.alloc(bytes, 0x20)),
  );

export const nestedJson = (depth: number): UpstreamReply =>
  replyWith(
    200,
    { "content-type": "application/json" },
    `${"[".repeat(depth)}1${"]".repeat(depth)}`,
  );

export const redirect = (location: string, status = 302): UpstreamReply =>
  replyWith(status, { location });

/** Replies with 429 to excess requests. */
export function rateLimitedReply(
  { limit, windowMs, body = {} }: { limit: number; windowMs: number; body?: unknown },
  now: () => number = Date.now,
): UpstreamReply & { refused: () => number } {
  let resetMs = 0;
  let requestCount = 0;
  let refusedCount = 0;
  const reply: UpstreamReply = (request, response) => {
    if (now() >= resetMs) {
      resetMs = now() + windowMs;
      requestCount = 0;
    }
    requestCount += 1;
    const headers = {
      "ratelimit-remaining": String(Math.max(0, limit - requestCount)),
      "ratelimit-reset-ms": String(resetMs),
    };
    if (requestCount > limit) refusedCount += 1;
    (requestCount > limit ? replyWith(429, headers) : jsonReply(body, headers))(request, response);
  };
  return Object.assign(reply, { refused: () => refusedCount });
}
