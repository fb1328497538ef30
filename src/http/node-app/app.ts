import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { openApp } from "../base-app.ts";
import { setDashboardHeaders } from "../dashboard/headers.ts";
import { plainBodyHook } from "../middleware/plain-body.ts";
import { addLivezRoute } from "../routes/ops/livez.ts";
import { addAttestationRoute } from "./attestation.ts";
import type { NodeAppContext } from "./context.ts";
import { createNodeEntry } from "./entry.ts";
import { addNodeReadyzRoute } from "./readyz.ts";
import { addNodeRecentRoute } from "./recent.ts";

/**
 * The app of a listening node, without its socket: the search of specification 4.4, attestation for callers, health. Closing ends
 * searches.
 */
export function buildNodeApp(context: NodeAppContext): FastifyInstance {
  const { app, stopping } = openApp({
    ...context,
    pathsHint:
      "a node answers POST /api/v1/data/social/tweets/recent, GET /attestation, /readyz and /livez",
    onProblem: () => undefined,
    setHeaders: setDashboardHeaders,
  });
  app.decorateRequest("nodeCaller", null);
  app.addHook("preParsing", plainBodyHook);
  app.addHook("onResponse", async (request, reply) => {
    const { method } = request;
    const ms = Math.round(reply.elapsedTime * 100) / 100;
    const route = request.routeOptions.url ?? request.knownPath ?? "unknown";
    const line = { request_id: request.id, method, route, status: reply.statusCode, ms };
    context.log.info(line, "request");
  });
  const typed = app.withTypeProvider<ZodTypeProvider>();
  addNodeRecentRoute(typed, context, createNodeEntry(context), stopping);
  addAttestationRoute(typed, context);
  addLivezRoute(typed);
  addNodeReadyzRoute(typed, context);
  return app;
}
