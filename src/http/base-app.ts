import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import { callerAddressBehind } from "./connections/caller-address.ts";
import {
  connectionOptions,
  createShutdown,
  watchConnections,
} from "./connections/open-connections.ts";
import { isBrowserNavigation, sendNotFoundPage } from "./docs-site/not-found-page.ts";
import { createMethodFallback } from "./middleware/cors.ts";
import type { ProblemCode } from "./problems/problems.ts";
import {
  answerUnreadable,
  handleExpectAndConnect,
  headerFieldsHook,
} from "./problems/unreadable-request.ts";
import { problem, publicCode, toProblem, writeProblem } from "./problems/write-problem.ts";
import { validatorCompiler } from "./schemas/validation.ts";
import { readJsonBodies } from "./submission/json-body.ts";
import { hasUnknownPlatform } from "./submission/source-types.ts";

declare module "fastify" {
  interface FastifyRequest {
    callerAddress: string;
  }
}

export type BaseAppContext = {
  settings: {
    maxBodyBytes: number;
    maxConnections: number;
    connectionShare: number;
    maxHeaderBytes: number;
    requestTimeoutMs: number;
    idleTimeoutMs: number;
    trustedProxies: readonly string[];
    corsOrigins?: readonly string[];
  };
  clock: Pick<Clock, "sleep">;
  log: Pick<Logger, "error" | "warn">;
  newId(): string;
  /** Not called if the client has disconnected. */
  onProblem(code: ProblemCode): void;
  pathsHint: string;
  /** Called for every answer, including 404. */
  setHeaders(request: FastifyRequest, reply: FastifyReply): void;
};

export type BaseApp = {
  app: FastifyInstance;
  /** Aborts when the app drains or closes. */
  shutdownSignal: AbortSignal;
};

/** Problems follow RFC 9457. On close, connections without a complete request are closed immediately. */
export function openApp(context: BaseAppContext): BaseApp {
  const { settings, clock, log, newId, pathsHint } = context;
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: () => newId(),
    bodyLimit: settings.maxBodyBytes,
    ...connectionOptions(settings),
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    // Factories keep Fastify from loading its own compilers, which is slow.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    // For paths that cannot be decoded, and overlong path parameters.
    frameworkErrors: (_error, request, reply) => {
      context.setHeaders(request, reply);
      writeProblem(noSuchPath(pathsHint), request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if (connections.isAnswered(socket)) socket.destroy();
      else answerUnreadable(error, socket, newId());
    },
  });

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  readJsonBodies(app);
  const answerOtherMethods = createMethodFallback(app, settings.corsOrigins ?? []);
  app.decorateRequest("jobUuid", "");
  app.decorateRequest("problemCode", null);
  app.decorateRequest("callerAddress", "");
  const callerAddressOf = callerAddressBehind(settings.trustedProxies);

  app.setErrorHandler((error, request, reply) => {
    const failure = toProblem(error);
    const isDisconnected = reply.raw.destroyed;
    if (!isDisconnected) context.onProblem(publicCode(failure));
    // Only server problems are logged, because the caller can fix the others.
    if (transientProblems.includes(failure.code)) {
      log.warn(
        { request_id: request.id, code: failure.code, error: failure.message },
        "cannot serve the request",
      );
    } else if (
      !separatelyLoggedCodes.includes(failure.code) &&
      serverProblems.includes(publicCode(failure))
    ) {
      log.error({ request_id: request.id, code: failure.code, err: error }, "request failed");
    }
    if (failure.code === "not_found" && isBrowserNavigation(request))
      return sendNotFoundPage(reply);
    return writeProblem(failure, request, reply);
  });
  app.setNotFoundHandler(() => {
    throw noSuchPath(pathsHint);
  });

  handleExpectAndConnect(app.server, newId);
  app.addHook("onRequest", async (request, reply) => {
    request.callerAddress = callerAddressOf(request.raw);
    reply.header("x-request-id", request.id);
    context.setHeaders(request, reply);
    shutdown.requireOpen(request);
    if (connections.isRefused(request.raw.socket)) throw tooManyConnections();
    if (!request.is404) return;
    const answer = await answerOtherMethods(request, reply);
    if (answer === null) throw noSuchPath(pathsHint);
    return answer;
  });
  app.addHook("onSend", async (request, reply) => {
    // Otherwise, connections busy at shutdown would stay open.
    const closesConnection = shutdown.isAnnounced() || connections.isRefused(request.raw.socket);
    if (closesConnection) reply.header("connection", "close");
    // Fastify would close the connection after rejecting a body, so a client still sending would lose the answer.
    else if (reply.statusCode >= 400) reply.removeHeader("connection");
  });
  app.addHook("onRequest", headerFieldsHook);
  // With another method, a fixed path such as .../jobs matches the platform parameter.
  app.addHook("onRequest", async (request, reply) =>
    hasUnknownPlatform(request) ? await answerOtherMethods(request, reply) : undefined,
  );
  const connections = watchConnections(app.server, settings, clock);
  const shutdown = createShutdown(connections);
  app.decorate("shutdown", shutdown);
  app.addHook("preClose", async () => {
    void shutdown.drain();
    connections.stop();
  });
  return { app, shutdownSignal: shutdown.drainSignal };
}

const serverProblems: readonly ProblemCode[] = ["internal", "unavailable"];
/** Temporary problems, logged without a stack trace. */
const transientProblems: readonly string[] = ["unavailable", "gateway_unreachable"];
/** Problems whose causes have their own log lines. */
const separatelyLoggedCodes: readonly string[] = [
  "storage_full",
  "stopping",
  "too_many_connections",
];

/** Clients get `unavailable`. */
function tooManyConnections(): EarshotError {
  const message = "too many open connections, from this address or in total";
  return new EarshotError("too_many_connections", message, {
    status: 503,
    retryable: true,
    hint: "close unused connections, and send the request again after Retry-After",
  });
}

function noSuchPath(hint: string): EarshotError {
  return problem("not_found", "path not found", { hint });
}

function noCompiler(): never {
  throw new Error("Fastify's compilers are not used: zod compiles every schema");
}
