import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import { callerAddressBehind } from "./connections/caller-address.ts";
import { connectionOptions, watchConnections } from "./connections/open-connections.ts";
import { createShutdown } from "./connections/shutdown.ts";
import { platformWordHook } from "./middleware/platform-word.ts";
import { fieldsHook, replaceBareRefusals } from "./problems/bare-refusals.ts";
import type { ProblemCode } from "./problems/problems.ts";
import { answerUnreadable } from "./problems/unreadable-request.ts";
import { frameworkErrorOf, problem, publicCode, writeProblem } from "./problems/write-problem.ts";
import { validatorCompiler } from "./schemas/validation.ts";
import { readJsonBodies } from "./submission/json-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whom limits per address count the request for: unlike `ip` always an address (caller-address.ts). */
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
  };
  clock: Pick<Clock, "sleep">;
  log: Pick<Logger, "error" | "warn">;
  newId(): string;
  /** Told of each problem that a client was there to be answered with. */
  onProblem(code: ProblemCode): void;
  /** Where somebody who asked for a path that is not there finds those that are. */
  pathsHint: string;
  /** Sets what all answers of the app carry, also those of paths that are not there. */
  setHeaders(request: FastifyRequest, reply: FastifyReply): void;
};

export type BaseApp = {
  app: FastifyInstance;
  /** Aborts when the app drains or begins to close: what is held is to be answered then. */
  stopping: AbortSignal;
};

/**
 * What every app here has in common, without any route: bounds on connections and bodies, JSON alone, ids of requests, the
 * path's platform word, and problems (RFC 9457) for whatever is thrown. Closing it ends at once the connections that have not
 * brought a whole request.
 */
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
    // Fastify's own compilers serve no route here; named as factories they are not even loaded, which takes a while at a start.
    schemaController: {
      compilersFactory: { buildValidator: otherCompiler, buildSerializer: otherCompiler },
    },
    // A path that cannot be decoded, or a part of it that is longer than any uuid.
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
  app.decorateRequest("jobUuid", "");
  app.decorateRequest("callerAddress", "");
  const callerAddressOf = callerAddressBehind(settings.trustedProxies);

  app.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error);
    const isClientGone = reply.raw.destroyed;
    if (!isClientGone) context.onProblem(publicCode(fault));
    // Other refusals are the caller's to mend; a job that failed was logged when it did, and a full disk when it was seen.
    if (passing.includes(fault.code)) {
      log.warn({ request_id: request.id, code: fault.code, error: fault.message }, "not served");
    } else if (!toldElsewhere.includes(fault.code) && ourFaults.includes(publicCode(fault))) {
      log.error({ request_id: request.id, code: fault.code, err: error }, "request failed");
    }
    return writeProblem(fault, request, reply);
  });
  app.setNotFoundHandler(() => {
    throw noSuchPath(pathsHint);
  });

  replaceBareRefusals(app.server, newId);
  app.addHook("onRequest", async (request, reply) => {
    request.callerAddress = callerAddressOf(request.raw);
    reply.header("x-request-id", request.id);
    context.setHeaders(request, reply);
    shutdown.requireOpen(request);
    if (connections.isRefused(request.raw.socket)) throw tooManyConnections();
    // Before its body is read: there is nothing to say about the body of a path that is not there.
    if (request.is404) throw noSuchPath(pathsHint);
  });
  app.addHook("onSend", async (request, reply) => {
    // A connection that is busy when the stop begins would otherwise stay open for a next request.
    const isLast = shutdown.isAnnounced() || connections.isRefused(request.raw.socket);
    if (isLast) reply.header("connection", "close");
    // The framework wants to close it after a refused body: whoever still sends would lose the answer.
    else if (reply.statusCode >= 400) reply.removeHeader("connection");
  });
  app.addHook("onRequest", fieldsHook);
  app.addHook("onRequest", platformWordHook);
  const connections = watchConnections(app.server, settings, clock);
  const shutdown = createShutdown(connections);
  app.decorate("shutdown", shutdown);
  app.addHook("preClose", async () => {
    void shutdown.drain();
    connections.stop();
  });
  return { app, stopping: shutdown.draining };
}

const ourFaults: readonly ProblemCode[] = ["internal", "unavailable"];
/** Codes of states that pass, such as a node that waits for its approval: they have no stack trace that helps. */
const passing: readonly string[] = ["unavailable", "gateway_unreachable"];
/** Codes of those whose cause has a line of its own in the log. */
const toldElsewhere: readonly string[] = ["storage_full", "stopping", "too_many_connections"];

/** Public as `unavailable`. */
function tooManyConnections(): EarshotError {
  const message = "there are as many open connections, of this address or of all, as there may be";
  return new EarshotError("too_many_connections", message, {
    status: 503,
    retryable: true,
    hint: "close connections that are not used, and send the request again after Retry-After",
  });
}

function noSuchPath(hint: string): EarshotError {
  return problem("not_found", "there is no such path", { hint });
}

function faultOf(error: unknown): EarshotError {
  if (error instanceof EarshotError) return error;
  if (error instanceof Error) {
    const known = frameworkErrorOf(error);
    if (known !== null) return known;
  }
  return problem("internal", "an unexpected fault");
}

function otherCompiler(): never {
  throw new Error("every schema here is compiled by zod");
}
