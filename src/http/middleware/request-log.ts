import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../context.ts";
import { outerRequest } from "./inner-requests.ts";

const dashboardRoutes = "/dashboard/api/";

/**
 * Logs the route template, never the URL, query or key. Event streams are not measured: clients
 * decide their duration.
 */
export function requestLogHook(context: HttpContext) {
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
