import fastify, { type FastifyInstance } from "fastify";
import { EarshotError } from "../lib/errors.ts";
import type { HttpContext } from "./context.ts";
import { callerHook } from "./hooks/caller.ts";
import { createHeldRequests } from "./hooks/held-requests.ts";
import { watchMethods } from "./hooks/other-methods.ts";
import { plainBodyHook } from "./hooks/plain-body.ts";
import { platformWordHook } from "./hooks/platform-word.ts";
import { rateFieldsHook } from "./hooks/rate-fields.ts";
import { requestLogHook } from "./hooks/request-log.ts";
import { readJsonBodies } from "./json-body.ts";
import { watchConnections } from "./open-connections.ts";
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
    requestTimeout: 30_000,
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
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, context.newId()),
  });

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  readJsonBodies(app);
  app.decorateRequest("caller", null);

  app.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error);
    // Other refusals are the caller's to mend, and a job that failed was logged when it did.
    if (ourFaults.includes(publicCode(fault))) {
      context.log.error({ request_id: request.id, code: fault.code, err: error }, "request failed");
    }
    return writeProblem(fault, request, reply);
  });
  app.setNotFoundHandler((request, reply) => writeProblem(noSuchPath(), request, reply));

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    // Before its body is read: there is nothing to say about the body of a path that is not there.
    if (request.is404) throw noSuchPath();
  });
  // A connection that was busy when the stop began would otherwise stay open for a next request.
  app.addHook("onSend", async (_request, reply) => {
    if (stopping.signal.aborted) reply.header("connection", "close");
  });
  app.addHook("onRequest", platformWordHook);
  app.addHook("onRequest", callerHook(context));
  app.addHook("preParsing", plainBodyHook);
  app.addHook("onSend", rateFieldsHook(context));
  app.addHook("onResponse", requestLogHook(context));
  const connections = watchConnections(app.server);
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

function noSuchPath(): EarshotError {
  return problem("not_found", "there is no such path", { hint: "docs/api.md lists the paths" });
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
