import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { type ConnectionLimitSettings, createConnectionLimits } from "./connection-limits.ts";

/** What bounds connections, apart from what is said over them. */
type ConnectionSettings = ConnectionLimitSettings & {
  maxHeaderBytes: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
};

/** Looked for so often: connections whose request has taken too long. */
const checkEveryMs = 1_000;

/** The bounds as fastify takes them. A connection whose request is held is not idle (idle-time.ts). */
export function connectionOptions(
  settings: Omit<ConnectionSettings, keyof ConnectionLimitSettings>,
) {
  const { maxHeaderBytes, requestTimeoutMs, idleTimeoutMs } = settings;
  return {
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      requireHostHeader: false,
    },
  };
}

export type OpenConnections = {
  /**
   * Closes every connection that holds no complete request: those that are idle, and those whose header or body is still on
   * its way. The others are closed when their answer is out, new ones at once.
   */
  stop(): void;
  /** Resolves when no complete request waits for its answer. */
  answered(): Promise<void>;
  /** Whether the newest request of the connection was answered before it had arrived whole: there is nothing more to say. */
  isAnswered(socket: Socket): boolean;
  /** Whether the connection is one too many (connection-limits.ts). */
  isRefused(socket: Socket): boolean;
};

/** Who goes on sending a body after its request was answered has so long to come to its end, or to the answer. */
const unwantedBodyMs = 2_000;

/**
 * Knows the connections of a server and what each is at: the server itself keeps one open that has never sent anything. It takes no
 * more of them than are allowed, and closes one over which the body of a request comes that nobody waits for.
 */
export function watchConnections(
  server: Server,
  settings: ConnectionLimitSettings,
  clock: Pick<Clock, "sleep">,
): OpenConnections {
  const limits = createConnectionLimits(settings, clock);
  const requestsOf = new Map<Socket, Set<IncomingMessage>>();
  const answered = new WeakSet<Socket>();
  let stopping = false;
  let isAllAnswered: PromiseWithResolvers<void> | null = null;

  function noteAnswered(): void {
    const requests = [...requestsOf.values()].flatMap((ofSocket) => [...ofSocket]);
    if (!requests.some((request) => request.complete)) isAllAnswered?.resolve();
  }

  function closeUnlessAsked(socket: Socket): void {
    const requests = [...(requestsOf.get(socket) ?? [])];
    if (!requests.some((request) => request.complete)) socket.destroy();
  }

  async function closeUnlessComplete(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    const over = new AbortController();
    answered.add(socket);
    request.once("close", () => over.abort());
    await clock.sleep(unwantedBodyMs, over.signal).catch(() => undefined);
    answered.delete(socket);
    if (!request.complete) socket.destroy();
  }

  server.on("connection", (socket: Socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    if (!limits.take(socket)) return;
    requestsOf.set(socket, new Set());
    socket.once("close", () => requestsOf.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    requestsOf.get(socket)?.add(request);
    response.once("finish", () => {
      if (!request.complete) void closeUnlessComplete(request);
    });
    response.once("close", () => {
      requestsOf.get(socket)?.delete(request);
      if (stopping) socket.end();
      if (isAllAnswered !== null) noteAnswered();
    });
  });

  return {
    stop: () => {
      stopping = true;
      for (const socket of requestsOf.keys()) closeUnlessAsked(socket);
    },
    answered: () => {
      isAllAnswered ??= Promise.withResolvers();
      noteAnswered();
      return isAllAnswered.promise;
    },
    isAnswered: (socket) => answered.has(socket),
    isRefused: limits.isRefused,
  };
}
