import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import type { HttpContext } from "../../context.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { cancelledJob } from "../../schemas/jobs.ts";
import { jobPath, platformJobPath } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses, unexpectedBodyErrors } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const sharedSchema = {
  summary: "Cancel or delete a job",
  description:
    "Cancels a job that has not ended; deletes one that has, with its result. The paths of its status and result do the " +
    "same. Costs one request.",
  tags: ["search"],
  security: [{ key: [] }],
  response: {
    200: jsonResponse("The job was cancelled.", cancelledJob),
    204: z.undefined().meta({ description: "The job had ended and was deleted." }),
    ...problemResponses({
      400: "The request is invalid.",
      401: "No valid key.",
      403: "The account is suspended.",
      404: "The job does not exist, or belongs to another account.",
      ...unexpectedBodyErrors,
      429: "The key exceeded a rate limit; retry after Retry-After.",
      503: "The store is temporarily unavailable.",
    }),
  },
};

export function addCancelRoutes(app: TypedApp, context: Pick<HttpContext, "jobs">): void {
  async function respond(request: FastifyRequest, reply: FastifyReply, path: { uuid: string }) {
    const { accountId } = requireCaller(request);
    const uuid = path.uuid.toLowerCase();
    const outcome = await context.jobs.cancel(accountId, uuid);
    if (outcome === null) throw problem("job_not_found", "job not found");
    if (outcome === "forgotten") return reply.code(204).send();
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ uuid, status: "cancelled", error: "" }));
  }

  for (const kind of ["status", "result"] as const) {
    const operationId = kind === "status" ? "cancelJob" : "cancelJobByResult";
    app.route({
      method: "DELETE",
      url: `/v1/search/live/:platform/${kind}/:uuid`,
      config: { access: "call" },
      schema: { ...sharedSchema, operationId, params: platformJobPath },
      handler: (request, reply) => respond(request, reply, request.params),
    });
    app.route({
      method: "DELETE",
      url: `/v1/search/live/${kind}/:uuid`,
      config: { access: "call" },
      schema: { ...sharedSchema, operationId: `${operationId}WithoutPlatform`, params: jobPath },
      handler: (request, reply) => respond(request, reply, request.params),
    });
  }
}
