import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { type ConnectionLimitSettings, createConnectionLimits } from "./caller-address.ts";

type ConnectionSettings = ConnectionLimitSettings & {
  maxHeaderBytes: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
};

const checkIntervalMs = 1_000;

/** A connection with a pending request is not idle (idle-time.ts). */
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
      connectionsCheckingInterval: checkIntervalMs,
      requireHostHeader: false,
    },
  };
}

type OpenConnections = {
  /**
   * Closes connections without a complete request. Others are closed after their answer, new ones
   * immediately.
   */
  stop(): void;
  /** Resolves when all complete requests have been answered. */
  whenAnswered(): Promise<void>;
  /** Whether the newest request was answered before it was complete. */
  isAnswered(socket: Socket): boolean;
  isRefused(socket: Socket): boolean;
};

/** How long a client may send the rest of an answered request. */
const lateBodyMs = 2_000;

/**
 * On `stop`, closes connections that have sent nothing, which Node would leave open. Also closes
 * those whose request body continues long after the answer.
 */
export function watchConnections(
  server: Server,
  settings: ConnectionLimitSettings,
  clock: Pick<Clock, "sleep">,
): OpenConnections {
  const limits = createConnectionLimits(settings, clock);
  const requestsOf = new Map<Socket, Set<IncomingMessage>>();
  const answeredSockets = new WeakSet<Socket>();
  let stopping = false;
  let allAnsweredPromise: PromiseWithResolvers<void> | null = null;

  function resolveIfAllAnswered(): void {
    const requests = [...requestsOf.values()].flatMap((requestsOfSocket) => [...requestsOfSocket]);
    if (!requests.some((request) => request.complete)) allAnsweredPromise?.resolve();
  }

  function closeUnlessRequested(socket: Socket): void {
    const requests = [...(requestsOf.get(socket) ?? [])];
    if (!requests.some((request) => request.complete)) socket.destroy();
  }

  async function closeUnlessComplete(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    const timerAbort = new AbortController();
    answeredSockets.add(socket);
    request.once("close", () => timerAbort.abort());
    await clock.sleep(lateBodyMs, timerAbort.signal).catch(() => undefined);
    answeredSockets.delete(socket);
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
      if (allAnsweredPromise !== null) resolveIfAllAnswered();
    });
  });

  return {
    stop: () => {
      stopping = true;
      for (const socket of requestsOf.keys()) closeUnlessRequested(socket);
    },
    whenAnswered: () => {
      allAnsweredPromise ??= Promise.withResolvers();
      resolveIfAllAnswered();
      return allAnsweredPromise.promise;
    },
    isAnswered: (socket) => answeredSockets.has(socket),
    isRefused: limits.isRefused,
  };
}

declare module "fastify" {
  interface FastifyInstance {
    shutdown: Shutdown;
  }
}

/**
 * Call `announce`, then `drain`, then close the app. The listener stays open until the close, so
 * that clients get no reset.
 */
export type Shutdown = {
  /** `/readyz` returns 503 and answers close their connection; requests are still served. */
  announce(): void;
  isAnnounced(): boolean;
  /**
   * Ends pending requests and rejects others except operational ones. Resolves when all have been
   * answered.
   */
  drain(): Promise<void>;
  /** Errors: `stopping` during the drain. */
  requireOpen(request: FastifyRequest): void;
  drainSignal: AbortSignal;
};

const alwaysServedRoutes: readonly string[] = ["/livez", "/readyz", "/metrics"];

export function createShutdown(connections: Pick<OpenConnections, "whenAnswered">): Shutdown {
  const drainController = new AbortController();
  let isAnnounced = false;

  return {
    announce: () => {
      isAnnounced = true;
    },
    isAnnounced: () => isAnnounced,
    drain: async () => {
      isAnnounced = true;
      drainController.abort();
      await connections.whenAnswered();
    },
    requireOpen: ({ routeOptions }) => {
      if (drainController.signal.aborted && !alwaysServedRoutes.includes(routeOptions.url ?? "")) {
        throw serverStoppingError();
      }
    },
    drainSignal: drainController.signal,
  };
}

export function serverStoppingError(): EarshotError {
  return new EarshotError("stopping", "the server is stopping", {
    status: 503,
    retryable: true,
  });
}
