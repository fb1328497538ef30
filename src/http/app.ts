import cookie from "@fastify/cookie";
import fastify, { type FastifyInstance } from "fastify";
import { EarshotError } from "../lib/errors.ts";
import { hostHook, replaceBareRefusals } from "./bare-refusals.ts";
import type { HttpContext } from "./context.ts";
import { setDashboardHeaders } from "./dashboard/headers.ts";
import { callerHook } from "./hooks/caller.ts";
import { createHeldRequests } from "./hooks/held-requests.ts";
import { watchMethods } from "./hooks/other-methods.ts";
import { plainBodyHook } from "./hooks/plain-body.ts";
import { platformWordHook } from "./hooks/platform-word.ts";
import { rateFieldsHook } from "./hooks/rate-fields.ts";
import { requestLogHook } from "./hooks/request-log.ts";
import { readJsonBodies } from "./json-body.ts";
import { connectionOptions, watchConnections } from "./open-connections.ts";
import { faultOfFramework, problem, publicCode, writeProblem } from "./problem-writer.ts";
import type { ProblemCode } from "./problems.ts";
import { addRoutes } from "./routes/index.ts";
import { validatorCompiler } from "./schemas/validation.ts";
import { createSubmissions } from "./submission.ts";
import { answerUnreadable } from "./unreadable-request.ts";

/**
 * The HTTP service apart from its socket. A request passes, in this order: its id, the path's platform word, wrong keys of
 * its address, its key, the key's requests a second, the body, the schema, the route. Whatever is thrown on the way is
 * answered as a problem (RFC 9457). Closing it ends held requests with what is known, and at once the connections that have
 * not brought a whole request.
 */
export function buildApp(context: HttpContext): FastifyInstance {
  const stopping = new AbortController();
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: () => context.newId(),
    bodyLimit: context.settings.maxBodyBytes,
    ...connectionOptions(context.settings),
    trustProxy:
      context.settings.trustedProxies.length > 0 ? [...context.settings.trustedProxies] : false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    // Fastify's own compilers serve no route here; named as factories they are not even loaded, which takes a while at a start.
    schemaController: {
      compilersFactory: { buildValidator: otherCompiler, buildSerializer: otherCompiler },
    },
    // A path that cannot be decoded, or a part of it that is longer than any uuid.
    frameworkErrors: (_error, request, reply) => {
      writeProblem(noSuchPath(), request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if (connections.isAnswered(socket)) socket.destroy();
      else answerUnreadable(error, socket, context.newId());
    },
  });

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  readJsonBodies(app);
  app.decorateRequest("caller", null);
  app.decorateRequest("jobUuid", "");
  app.decorateRequest("limits", null);
  app.decorateRequest("session", null);
  app.register(cookie, { hook: false });

  app.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error);
    const isClientGone = reply.raw.destroyed;
    if (!isClientGone) context.metrics.problems.inc({ code: publicCode(fault) });
    // Other refusals are the caller's to mend; a job that failed was logged when it did, and a full disk when it was seen.
    if (!toldElsewhere.includes(fault.code) && ourFaults.includes(publicCode(fault))) {
      context.log.error({ request_id: request.id, code: fault.code, err: error }, "request failed");
    }
    return writeProblem(fault, request, reply);
  });
  app.setNotFoundHandler(() => {
    throw noSuchPath();
  });

  replaceBareRefusals(app.server, context.newId);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    setDashboardHeaders(request, reply);
    // Before its body is read: there is nothing to say about the body of a path that is not there.
    if (request.is404) throw noSuchPath();
  });
  app.addHook("onSend", async (_request, reply) => {
    // A connection that was busy when the stop began would otherwise stay open for a next request.
    if (stopping.signal.aborted) reply.header("connection", "close");
    // The framework wants to close it after a refused body: whoever still sends would lose the answer.
    else if (reply.statusCode >= 400) reply.removeHeader("connection");
  });
  app.addHook("onRequest", hostHook);
  app.addHook("onRequest", platformWordHook);
  app.addHook("onRequest", callerHook(context));
  app.addHook("preParsing", plainBodyHook);
  app.addHook("onSend", rateFieldsHook(context));
  app.addHook("onResponse", requestLogHook(context));
  const connections = watchConnections(app.server, context.settings, context.clock);
  app.addHook("preClose", async () => {
    stopping.abort();
    connections.stop();
  });

  const addOtherMethods = watchMethods(app);
  addRoutes(app, context, createHeldRequests(context, stopping.signal), createSubmissions(context));
  addOtherMethods(app);
  return app;
}

const ourFaults: readonly ProblemCode[] = ["internal", "unavailable"];
/** Codes of those whose cause has a line of its own in the log. */
const toldElsewhere: readonly string[] = ["storage_full", "stopping"];

function noSuchPath(): EarshotError {
  return problem("not_found", "there is no such path", { hint: "GET /docs lists the paths" });
}

function faultOf(error: unknown): EarshotError {
  if (error instanceof EarshotError) return error;
  if (error instanceof Error) {
    const known = faultOfFramework(error);
    if (known !== null) return known;
  }
  return problem("internal", "an unexpected fault");
}

function otherCompiler(): never {
  throw new Error("every schema here is compiled by zod");
}
