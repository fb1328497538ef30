import cookie from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { openApp } from "./base-app.ts";
import type { HttpContext } from "./context.ts";
import { setDashboardHeaders } from "./dashboard/headers.ts";
import { createPendingRequests } from "./long-poll/pending-requests.ts";
import { callerHook } from "./middleware/caller.ts";
import { createCallerWatch } from "./middleware/caller-watch.ts";
import { corsHook } from "./middleware/cors.ts";
import {
  checkAfterChange,
  refuseEndedCaller,
  withholdFromEndedCaller,
} from "./middleware/ended-caller.ts";
import { admitBeforeAnswer } from "./middleware/pending-admission.ts";
import { plainBodyHook } from "./middleware/plain-body.ts";
import { rateFieldsHook } from "./middleware/rate-fields.ts";
import { requestLogHook } from "./middleware/request-log.ts";
import { addRoutes } from "./routes/index.ts";
import { addNodeRoutes } from "./routes/nodes/add-node-routes.ts";
import { createSearchSubmissions } from "./submission/submission.ts";

/**
 * Checks in order: request id, platform, failed keys of the address, key, requests per second, body, schema, route.
 * Closing answers pending requests with their current state.
 */
export function buildApp(context: HttpContext): FastifyInstance {
  const { app, stopping } = openApp({
    ...context,
    pathsHint: "see GET /docs for all paths",
    onProblem: (code) => context.metrics.problems.inc({ code }),
    setHeaders: setDashboardHeaders,
  });
  app.decorateRequest("caller", null);
  app.decorateRequest("admittedMs", 0);
  app.decorateRequest("limits", null);
  app.decorateRequest("countedSearch", null);
  app.decorateRequest("pendingAdmission", null);
  app.decorateRequest("session", null);
  app.decorateRequest("node", null);
  app.register(cookie, { hook: false });

  app.addHook("onRequest", callerHook(context));
  app.addHook("preParsing", plainBodyHook);
  const callers = createCallerWatch(context, stopping);
  app.addHook("preHandler", refuseEndedCaller(context, callers));
  app.addHook("onSend", admitBeforeAnswer(context));
  app.addHook("onSend", withholdFromEndedCaller(context, callers));
  app.addHook("onSend", rateFieldsHook(context));
  app.addHook("onSend", corsHook(context.settings.corsOrigins));
  app.addHook("onSend", checkAfterChange(callers));
  app.addHook("onResponse", requestLogHook(context));

  const pendingRequests = createPendingRequests(context, callers, stopping);
  addRoutes(app, context, pendingRequests, createSearchSubmissions(context));
  addNodeRoutes(app.withTypeProvider<ZodTypeProvider>(), context, pendingRequests);
  return app;
}
