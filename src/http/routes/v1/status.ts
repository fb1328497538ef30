import type { FastifyReply, FastifyRequest } from "fastify";
import { nextPageCursor } from "../../answers/next-cursor.ts";
import { statusBody } from "../../answers/status-body.ts";
import type { HttpContext } from "../../context.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { waitAsRequested } from "../../long-poll/prefer.ts";
import { problem } from "../../problems/write-problem.ts";
import { status } from "../../schemas/job-status.ts";
import { jobPath, platformJobPath, waitHeaders, waitQuery } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const sharedSchema = {
  summary: "Read the status of a job",
  description: "The path can name any platform.",
  tags: ["search"],
  security: [{ key: [] }],
  headers: waitHeaders,
  querystring: waitQuery,
  response: {
    200: jsonResponse(
      "The status, including that of a failed, cancelled or expired job; with Retry-After until the job ends.",
      status,
    ),
    ...problemResponses({
      400: "wait is not a whole number from 1 to 30, or Prefer is malformed.",
      401: "No valid key.",
      403: "The account is suspended.",
      404: "The job does not exist, or belongs to another account.",
      429: "The key exceeded its requests per second for too long, or the job belongs to another account.",
      503: "The store is temporarily unavailable.",
    }),
  },
};

export function addStatusRoutes(
  app: TypedApp,
  context: HttpContext,
  pendingRequests: PendingRequests,
): void {
  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    uuid: string,
    waitSeconds: number | undefined,
  ) {
    const job = await waitAsRequested(pendingRequests, request, reply, { uuid, waitSeconds });
    if (job === null) throw problem("job_not_found", "job not found");
    if (job.finishedMs === null) reply.header("retry-after", "1");
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(statusBody(job, nextPageCursor(context, job))));
  }

  app.route({
    method: "GET",
    url: "/v1/search/live/:platform/status/:uuid",
    config: { access: "read" },
    schema: { ...sharedSchema, operationId: "readStatus", params: platformJobPath },
    handler: (request, reply) => respond(request, reply, request.params.uuid, request.query.wait),
  });
  app.route({
    method: "GET",
    url: "/v1/search/live/status/:uuid",
    config: { access: "read" },
    schema: { ...sharedSchema, operationId: "readStatusWithoutPlatform", params: jobPath },
    handler: (request, reply) => respond(request, reply, request.params.uuid, request.query.wait),
  });
}
