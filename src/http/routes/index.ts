import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { HttpContext } from "../context.ts";
import type { HeldRequests } from "../hooks/held-requests.ts";
import type { Submissions } from "../submission.ts";
import { addRecentRoute } from "./node/recent.ts";
import { addErrorsRoute } from "./ops/errors.ts";
import { addLivezRoute } from "./ops/livez.ts";
import { addMetricsRoute } from "./ops/metrics.ts";
import { addOpenApiRoute } from "./ops/openapi.ts";
import { addReadyzRoute } from "./ops/readyz.ts";
import { addCountsRoute } from "./v1/counts.ts";
import { addResultRoutes } from "./v1/result.ts";
import { addStatusRoutes } from "./v1/status.ts";
import { addSubmitRoutes } from "./v1/submit.ts";

/** All routes, in the order of the documents made from them. */
export function addRoutes(
  app: FastifyInstance,
  context: HttpContext,
  held: HeldRequests,
  submissions: Submissions,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  addSubmitRoutes(typed, submissions);
  addStatusRoutes(typed, context, held);
  addResultRoutes(typed, context, held);
  addCountsRoute(typed, context);
  addRecentRoute(typed, context, submissions, held);
  addLivezRoute(typed);
  addReadyzRoute(typed, context);
  addMetricsRoute(typed, context);
  addOpenApiRoute(typed);
  addErrorsRoute(typed);
}
