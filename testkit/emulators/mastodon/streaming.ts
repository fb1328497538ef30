/** An emulator based on https://docs.joinmastodon.org/methods/streaming/, for user tokens only. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export type StreamingOptions = {
  /** Other tokens are rejected. */
  isUserToken(token: string): boolean;
  /** Some servers and proxies support only one. */
  transports?: readonly ("websocket" | "event-stream")[];
  heartbeatMs?: number;
};

export type EmulatedStatus = {
  id: string;
  account: { acct: string } & Record<string, unknown>;
} & Record<string, unknown>;

export type Streaming = {
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  update(...statuses: readonly EmulatedStatus[]): void;
  edit(...statuses: readonly EmulatedStatus[]): void;
  remove(...ids: readonly string[]): void;
  sendEvent(name: string, payload: unknown): void;
  /** A WebSocket message, or bytes of the response. */
  sendRaw(text: string): void;
  thump(): void;
  stop(): void;
  /** Breaks connections within an event. */
  cut(): void;
  isUnavailable: boolean;
  connectionCount(): number;
  requests: StreamingRequest[];
  close(): void;
};

type StreamingRequest = {
  transport: "websocket" | "event-stream";
  path: string;
  query: string;
  authorization: string | null;
  userAgent: string | null;
};

type Listener = {
  stream: string;
  send(event: string, payload: string): void;
  sendRaw(text: string): void;
  thump(): void;
  end(): void;
  cut(): void;
};

const prefix = "/api/v1/streaming";
const streamNames = new Set(["public", "public:local", "public:remote"]);

export function createStreaming(options: StreamingOptions): Streaming {
  const transports = new Set(options.transports ?? ["websocket", "event-stream"]);
  const sockets = new WebSocketServer({ noServer: true });
  const listeners = new Set<Listener>();
  const requests: StreamingRequest[] = [];
  const thump = (): void => {
    for (const listener of listeners) listener.thump();
  };
  const heartbeat = setInterval(thump, options.heartbeatMs ?? 15_000);

  function recordRequest(transport: StreamingRequest["transport"], request: IncomingMessage): URL {
    const url = new URL(request.url ?? "/", "http://emulator");
    requests.push({
      transport,
      path: url.pathname,
      query: url.search,
      authorization: request.headers.authorization ?? null,
      userAgent: request.headers["user-agent"] ?? null,
    });
    return url;
  }

  function requestRefusal(request: IncomingMessage, url: URL): [number, string] | null {
    if (streaming.isUnavailable) return [503, "Service unavailable"];
    if (request.headers["user-agent"] === undefined) return [418, "I'm a teapot"];
    const header = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const token = header ?? url.searchParams.get("access_token");
    if (token === null || token === "") return [401, "Missing access token"];
    if (!options.isUserToken(token)) return [401, "Invalid access token"];
    return null;
  }

  function handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = new URL(request.url ?? "/", "http://emulator");
    if (!pathname.startsWith(prefix)) return false;
    if (pathname === `${prefix}/health`) {
      response.writeHead(200, { "content-type": "text/plain" }).end("OK");
      return true;
    }
    const url = recordRequest("event-stream", request);
    const refuse = (status: number, error: string): true => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error }));
      return true;
    };
    const stream = pathname.slice(prefix.length + 1).replace("/", ":");
    if (!transports.has("event-stream") || !streamNames.has(stream)) {
      return refuse(404, "Not found");
    }
    const refusal = requestRefusal(request, url);
    if (refusal !== null) return refuse(...refusal);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(":)\n");
    listen(response, {
      stream,
      send: (event, payload) => response.write(`event: ${event}\ndata: ${payload}\n\n`),
      sendRaw: (text) => response.write(text),
      thump: () => response.write(":thump\n"),
      end: () => response.end(),
      cut: () => {
        response.write('event: update\ndata: {"id":');
        setImmediate(() => response.destroy());
      },
    });
    return true;
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const { pathname } = new URL(request.url ?? "/", "http://emulator");
    if (!pathname.startsWith(prefix)) return false;
    const url = recordRequest("websocket", request);
    const refusal: [number, string] | null = transports.has("websocket")
      ? requestRefusal(request, url)
      : [404, "Not found"];
    if (refusal !== null) {
      const [status, error] = refusal;
      socket.end(
        `HTTP/1.1 ${status} ${error}\r\nconnection: close\r\ncontent-length: ${error.length}\r\n\r\n${error}`,
      );
      return true;
    }
    const stream = url.searchParams.get("stream") ?? "";
    sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, stream));
    return true;
  }

  function serve(socket: WebSocket, stream: string): void {
    socket.on("error", () => socket.terminate());
    if (!streamNames.has(stream)) {
      socket.send(JSON.stringify({ error: "Unknown stream type", status: 400 }));
      return;
    }
    listen(socket, {
      stream,
      send: (event, payload) =>
        socket.send(JSON.stringify({ stream: stream.split("/"), event, payload })),
      sendRaw: (text) => socket.send(text),
      thump: () => socket.ping(),
      end: () => socket.close(1001),
      cut: () => socket.terminate(),
    });
  }

  function listen(connection: ServerResponse | WebSocket, listener: Listener): void {
    listeners.add(listener);
    connection.on("close", () => listeners.delete(listener));
  }

  const publish = (event: string, status: EmulatedStatus): void => {
    const origin = status.account.acct.includes("@") ? "public:remote" : "public:local";
    for (const listener of listeners) {
      if (listener.stream !== "public" && listener.stream !== origin) continue;
      listener.send(event, JSON.stringify(status));
    }
  };

  const streaming: Streaming = {
    handle,
    upgrade,
    isUnavailable: false,
    update: (...statuses) => {
      for (const status of statuses) publish("update", status);
    },
    edit: (...statuses) => {
      for (const status of statuses) publish("status.update", status);
    },
    remove: (...ids) => {
      for (const id of ids) for (const listener of listeners) listener.send("delete", id);
    },
    sendEvent: (name, payload) => {
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      for (const listener of listeners) listener.send(name, text);
    },
    sendRaw: (text) => {
      for (const listener of listeners) listener.sendRaw(text);
    },
    thump,
    stop: () => {
      for (const listener of listeners) listener.end();
    },
    cut: () => {
      for (const listener of listeners) listener.cut();
    },
    connectionCount: () => listeners.size,
    requests,
    close: () => {
      clearInterval(heartbeat);
      for (const listener of listeners) listener.cut();
    },
  };
  return streaming;
}

export type StreamingServer = Streaming & {
  url: string;
  instance: unknown;
  /** `bringUp` serves at the same address. */
  takeDown(): Promise<void>;
  bringUp(): Promise<void>;
  closeServer(): Promise<void>;
};

export async function startStreamingServer(options: StreamingOptions): Promise<StreamingServer> {
  const streaming = createStreaming(options);
  const http: Server = createServer((request, response) => {
    if (streaming.handle(request, response)) return;
    const { pathname } = new URL(request.url ?? "/", "http://emulator");
    if (pathname !== "/api/v2/instance" || server.instance === null) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(server.instance));
  });
  http.on("upgrade", (request, socket, head) => {
    if (!streaming.upgrade(request, socket, head)) socket.destroy();
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => http.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = http.address() as AddressInfo;
  const takeDown = async (): Promise<void> => {
    streaming.cut();
    const closed = new Promise((resolve) => http.close(resolve));
    http.closeAllConnections();
    await closed;
  };
  const server: StreamingServer = {
    ...streaming,
    url: `http://127.0.0.1:${port}`,
    instance: { configuration: { urls: { streaming: `wss://127.0.0.1:${port}` } } },
    takeDown,
    bringUp: () => listen(port),
    closeServer: async () => {
      streaming.close();
      if (http.listening) await takeDown();
    },
  };
  return server;
}
