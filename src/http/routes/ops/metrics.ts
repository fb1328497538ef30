import * as z from "zod";
import type { HttpContext } from "../../context.ts";
import type { TypedApp } from "../typed-app.ts";

export function addMetricsRoute(app: TypedApp, context: HttpContext): void {
  app.route({
    method: "GET",
    url: "/metrics",
    schema: {
      operationId: "metrics",
      summary: "Metrics in the Prometheus text format",
      tags: ["operation"],
      response: {
        200: {
          description: "One value per line; docs/metrics.md explains each.",
          content: { "text/plain": { schema: z.string() } },
        },
      },
    },
    handler: async (_request, reply) =>
      reply.type(context.metrics.contentType).send(await context.metrics.text()),
  });
}
