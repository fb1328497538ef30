import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../../context.ts";
import { eventStream } from "../../long-poll/event-stream.ts";
import { streamAccountEvents, streamJobEvents } from "../../long-poll/job-events.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { streamedJobChange } from "../../schemas/jobs.ts";
import { eventsQuery, platformPath, streamHeaders } from "../../schemas/parameters.ts";
import { problemResponses } from "../../schemas/responses.ts";
import { invalidRequest } from "../../schemas/validation.ts";
import type { TypedApp } from "../typed-app.ts";

const sharedSchema = {
  summary: "Watch jobs",
  description:
    "Server-sent events, one for each change of state of the account's jobs, regardless of the key and path that submitted them. " +
    "A client that reconnects with Last-Event-ID first gets the changes it missed. Costs one request, and counts as one " +
    "waiting request of the key while it is open.",
  tags: ["search"],
  security: [{ key: [] }],
  headers: streamHeaders,
  querystring: eventsQuery,
  response: {
    200: {
      description: "The stream. It ends after some minutes and when the server stops: reconnect.",
      content: { "text/event-stream": { schema: streamedJobChange } },
    },
    ...problemResponses({
      400: "A parameter is not valid, or Last-Event-ID is not an id of this stream.",
      401: "No valid key.",
      403: "The account is suspended.",
      404: "The job does not exist or belongs to another account, or the path names no platform.",
      429: "The key exceeded a rate limit or its limit of pending requests.",
      503: "The store is temporarily unavailable.",
    }),
  },
};

export function addEventsRoutes(
  app: TypedApp,
  context: HttpContext,
  pendingRequests: PendingRequests,
): void {
  async function respond(request: FastifyRequest, reply: FastifyReply, uuid: string | undefined) {
    const { jobs, clock, settings } = context;
    const caller = requireCaller(request);
    const { accountId } = caller;
    const lastSeenId = lastEventId(request.headers["last-event-id"]?.toString());
    if (uuid !== undefined && (await jobs.find(accountId, uuid)) === null) {
      throw problem("job_not_found", "job not found");
    }
    reply
      .type("text/event-stream; charset=utf-8")
      // Stops proxies from buffering.
      .header("x-accel-buffering", "no")
      // Shutdown must not wait for a connection that could carry another request.
      .header("connection", "close");
    if (request.method === "HEAD") return reply.send(Readable.from([]));
    const signal = pendingRequests.openStream(caller, reply, settings.maxStreamMs);
    // Subscribes before sending the headers, so that a client that has them misses no later change.
    const changes = await jobs.changes(accountId, uuid === undefined ? lastSeenId : null, signal);
    const events =
      uuid === undefined
        ? streamAccountEvents(changes)
        : streamJobEvents(jobs, changes, accountId, uuid.toLowerCase());
    return reply.send(Readable.from(eventStream(events, clock, signal)));
  }

  app.route({
    method: "GET",
    url: "/v1/search/live/:platform/events",
    config: { access: "call" },
    schema: { ...sharedSchema, operationId: "watchJobs", params: platformPath },
    handler: (request, reply) => respond(request, reply, request.query.uuid),
  });
  app.route({
    method: "GET",
    url: "/v1/search/live/events",
    config: { access: "call" },
    schema: { ...sharedSchema, operationId: "watchJobsWithoutPlatform" },
    handler: (request, reply) => respond(request, reply, request.query.uuid),
  });
}

function lastEventId(field: string | undefined): number | null {
  if (field === undefined || field === "") return null;
  if (/^\d{1,15}$/.test(field)) return Number(field);
  throw invalidRequest([
    {
      code: "invalid_value",
      message: "expected the id of an event of this stream",
      hint: "send the last id unchanged, 0 for all stored jobs, or omit the header",
      pointer: "/last-event-id",
    },
  ]);
}
