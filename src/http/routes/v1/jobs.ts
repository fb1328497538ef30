import type { FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import { readListCursor, writeListCursor } from "../../answers/list-cursor.ts";
import { summaryBody } from "../../answers/status-body.ts";
import type { HttpContext } from "../../context.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { withPointer } from "../../problems/with-pointer.ts";
import { jobList } from "../../schemas/jobs.ts";
import { jobsQuery, platformPath } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const defaultLimit = 20;

const sharedSchema = {
  summary: "List jobs",
  description:
    "The jobs of the account, newest first, without coverage and sources of their results, regardless of the key and path " +
    "that submitted them. Costs one request.",
  tags: ["search"],
  security: [{ key: [] }],
  querystring: jobsQuery,
  response: {
    200: jsonResponse("A page of the list; empty if no job matches.", jobList),
    ...problemResponses({
      400: "A parameter is invalid; errors says where, and how to fix it.",
      401: "No valid key.",
      403: "The account is suspended.",
      404: "The path names no platform.",
      429: "The key exceeded a rate limit; retry after Retry-After.",
      503: "The store is temporarily unavailable.",
    }),
  },
};

export function addJobsRoutes(app: TypedApp, context: Pick<HttpContext, "jobs">): void {
  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    params: z.infer<typeof jobsQuery>,
  ) {
    const { cursor } = params;
    const page = await context.jobs.list(requireCaller(request).accountId, {
      states: params.status ?? null,
      methods: params.method ?? null,
      platforms: params.platform ?? null,
      text: params.query ?? null,
      before: cursor === undefined ? null : withPointer("/cursor", () => readListCursor(cursor)),
      limit: params.limit ?? defaultLimit,
    });
    return reply.type("application/json; charset=utf-8").send(
      JSON.stringify({
        jobs: page.jobs.map(summaryBody),
        next_cursor: page.next === null ? null : writeListCursor(page.next),
      }),
    );
  }

  app.route({
    method: "GET",
    url: "/v1/search/live/:platform/jobs",
    config: { access: "call" },
    schema: { ...sharedSchema, operationId: "listJobs", params: platformPath },
    handler: (request, reply) => respond(request, reply, request.query),
  });
  app.route({
    method: "GET",
    url: "/v1/search/live/jobs",
    config: { access: "call" },
    schema: { ...sharedSchema, operationId: "listJobsWithoutPlatform" },
    handler: (request, reply) => respond(request, reply, request.query),
  });
}
