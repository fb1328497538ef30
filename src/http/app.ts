import { Readable } from "node:stream";
import cookie from "@fastify/cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { type LimitState, rateLimitFields } from "../accounts/limiter.ts";
import { openApp } from "./base-app.ts";
import type { HttpContext } from "./context.ts";
import { setDashboardHeaders } from "./dashboard/headers.ts";
import { createPendingRequests } from "./long-poll/pending-requests.ts";
import { callerHook, outerRequest } from "./middleware/caller.ts";
import { corsHook } from "./middleware/cors.ts";
import {
  checkAfterChange,
  createCallerWatch,
  refuseEndedCaller,
  withholdFromEndedCaller,
} from "./middleware/ended-caller.ts";
import { problem, publicCode, renderProblem, toProblem } from "./problems/write-problem.ts";
import { addRoutes } from "./routes/index.ts";
import { addNodeRoutes } from "./routes/nodes/add-node-routes.ts";
import { createSearchSubmissions } from "./submission/submission.ts";

/**
 * Checks in this order: path, header fields, platform, invalid keys from the address, key,
 * requests per second, body, schema, route. On close, pending requests end.
 */
export function buildApp(context: HttpContext): FastifyInstance {
  const { app, shutdownSignal } = openApp({
    ...context,
    pathsHint: "see GET /docs for all paths",
    onProblem: (code) => context.metrics.problems.inc({ code }),
    setHeaders: setDashboardHeaders,
  });
  app.decorateRequest("caller", null);
  app.decorateRequest("admittedAtMs", 0);
  app.decorateRequest("limits", null);
  app.decorateRequest("countedSearch", null);
  app.decorateRequest("pendingAdmission", null);
  app.decorateRequest("session", null);
  app.decorateRequest("node", null);
  app.register(cookie, { hook: false });

  app.addHook("onRequest", callerHook(context));
  app.addHook("preParsing", plainBodyHook);
  const callers = createCallerWatch(context, shutdownSignal);
  app.addHook("preHandler", refuseEndedCaller(context, callers));
  app.addHook("onSend", admitBeforeResponse(context));
  app.addHook("onSend", withholdFromEndedCaller(context, callers));
  app.addHook("onSend", rateFieldsHook(context));
  app.addHook("onSend", corsHook(context.settings.corsOrigins));
  app.addHook("onSend", checkAfterChange(callers));
  app.addHook("onResponse", requestLogHook(context));

  const pendingRequests = createPendingRequests(context, callers, shutdownSignal);
  addRoutes(app, context, pendingRequests, createSearchSubmissions(context));
  addNodeRoutes(app.withTypeProvider<ZodTypeProvider>(), context, pendingRequests);
  return app;
}

/** Maximum age of limits before they are read again. */
const maxAgeMs = 50;

function rateFieldsHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { countedSearch } = request;
    if (countedSearch !== null) request.limits = (await countedSearch.refund()) ?? request.limits;
    const limits = await newestLimits(context, request);
    if (limits !== null) reply.headers(rateLimitFields(limits.policies));
  };
}

async function newestLimits(
  { clock, limiter }: HttpContext,
  { caller, limits }: FastifyRequest,
): Promise<LimitState | null> {
  if (caller === null || limits === null) return null;
  if (clock.elapsed() - limits.asOfMs <= maxAgeMs) return limits;
  // A failing store must not fail the request.
  return await limiter.state(caller).catch(() => limits);
}

/**
 * Admits requests that ended before submission, such as those with an invalid body: a refusal takes
 * precedence.
 */
function admitBeforeResponse({ metrics }: Pick<HttpContext, "metrics">) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<unknown> => {
    if (request.pendingAdmission === null) return payload;
    try {
      await request.pendingAdmission.admit();
      return payload;
    } catch (thrown) {
      const failure = toProblem(thrown);
      if (payload instanceof Readable) payload.destroy();
      metrics.problems.inc({ code: publicCode(failure) });
      return renderProblem(failure, request, reply);
    }
  };
}

/** Rejects compressed bodies, because their uncompressed size is unbounded. */
async function plainBodyHook(request: FastifyRequest): Promise<void> {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return;
  throw problem("unsupported_media_type", "compressed bodies are not supported", {
    hint: "send the body without Content-Encoding",
  });
}

const dashboardRoutes = "/dashboard/api/";

/**
 * Logs the route template, never the URL, query or key. Event streams are not measured: clients
 * decide their duration.
 */
function requestLogHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const route = request.routeOptions.url ?? request.knownPath ?? "unknown";
    const ms = reply.elapsedTime;
    const { method, caller } = request;
    const isUsage = !route.startsWith(dashboardRoutes) && outerRequest() === null;
    if (caller !== null && isUsage) {
      const { accountId, keyId } = caller;
      context.usage.recordRequest({ accountId, keyId, status: reply.statusCode });
      if (request.session === null) {
        context.usage.recordKeyUse(keyId, request.callerAddress);
        context.usage.recordKeyRequest({
          keyId,
          requestId: request.id,
          atMs: Math.round(context.clock.now() - ms),
          method,
          route,
          status: reply.statusCode,
          code: request.problemCode,
          durationMs: Math.round(ms),
        });
      }
    }
    if (!isEventStream(reply)) {
      context.metrics.requestSeconds
        .labels(route, method, `${Math.floor(reply.statusCode / 100)}xx`)
        .observe(ms / 1000);
    }
    context.log.info(
      {
        request_id: request.id,
        key_id: caller?.keyId,
        method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 100) / 100,
      },
      "request",
    );
  };
}

function isEventStream(reply: FastifyReply): boolean {
  return String(reply.getHeader("content-type")).startsWith("text/event-stream");
}
