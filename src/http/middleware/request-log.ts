import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../context.ts";

/** What the dashboard calls for itself is no use of the API. */
const dashboardRoutes = "/dashboard/api/";

/**
 * One line and one measurement a request: the route's template, never its address, its query or its key. An event stream is
 * not measured: it lasts as long as its client wants. What a key asks for is counted as its use.
 */
export function requestLogHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const route = request.routeOptions.url ?? "unknown";
    const ms = reply.elapsedTime;
    const { method, caller } = request;
    if (caller !== null && !route.startsWith(dashboardRoutes)) {
      const { accountId, keyId } = caller;
      context.usage.noteRequest({ accountId, keyId, status: reply.statusCode });
      if (request.session === null) context.usage.noteKeyUse(keyId, request.callerAddress);
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
