import * as z from "zod";
import { jsonResponse } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const liveness = z.strictObject({ status: z.literal("ok") }).meta({ examples: [{ status: "ok" }] });

export function addLivezRoute(app: TypedApp): void {
  app.route({
    method: "GET",
    url: "/livez",
    schema: {
      operationId: "livez",
      summary: "Check that the process is alive",
      tags: ["operation"],
      response: { 200: jsonResponse("The process is alive.", liveness) },
    },
    handler: async (_request, reply) =>
      reply.type("application/json; charset=utf-8").send('{"status":"ok"}'),
  });
}
