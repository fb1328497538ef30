import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../context.ts";

/** One line and one measurement a request: the route's template, never its address, its query or its key. */
export function requestLogHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const route = request.routeOptions.url ?? "unknown";
    const ms = reply.elapsedTime;
    const { method } = request;
    context.metrics.requestSeconds
      .labels(route, method, `${Math.floor(reply.statusCode / 100)}xx`)
      .observe(ms / 1000);
    context.log.info(
      {
        request_id: request.id,
        key_id: request.caller?.keyId,
        method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 100) / 100,
      },
      "request",
    );
  };
}
