import type { FastifyReply, FastifyRequest } from "fastify";
import type { SearchPlatform } from "../../../platforms/source.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { preferredWaitSeconds } from "../../long-poll/prefer.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { jobHandle } from "../../schemas/job-status.ts";
import { noQuery, platformPath, submissionHeaders } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import { readSubmission, type Submission, submission } from "../../schemas/submission.ts";
import {
  type PathRules,
  plainPathRules,
  platformPathRules,
} from "../../submission/checked-arguments.ts";
import { parsePlatform } from "../../submission/source-types.ts";
import {
  idempotentRequest,
  readIdempotency,
  type Submissions,
} from "../../submission/submission.ts";
import type { TypedApp } from "../typed-app.ts";

const responses = {
  202: jsonResponse(
    "Accepted and on disk. Location is the result's path, Retry-After the seconds to wait. Preference-Applied is set if " +
      "the request waited, Idempotent-Replayed if this is the job of an earlier submission with the same key.",
    jobHandle,
  ),
  ...problemResponses({
    400: "The body, an argument or the query is invalid; errors says where, and how to fix it.",
    401: "No valid key.",
    403: "The key is not allowed to use the method, or its account is suspended.",
    404: "The path names no platform.",
    413: "The body is too large.",
    415: "The body is not plain JSON.",
    422: "No configured source supports the method, or the Idempotency-Key belongs to another search.",
    429: "The key exceeded a rate limit; retry after Retry-After.",
    503: "Too many jobs are waiting, or the store is unavailable.",
  }),
};

const config = {
  access: "call",
  isSubmission: true,
  isAdmittedWithSearch: true,
  refusalHasUuid: true,
} as const;

export function addSubmitRoutes(
  app: TypedApp,
  submissions: Submissions,
  pendingRequests: PendingRequests,
): void {
  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    platform: SearchPlatform,
    body: Submission,
    rules: PathRules,
    path: string,
  ) {
    const caller = requireCaller(request);
    const waitSeconds = preferredWaitSeconds(request.headers.prefer?.toString());
    const idempotency = readIdempotency(request.headers, idempotentRequest(platform, body));
    const { uuid } = await submissions.submit(platform, body, rules, reply, idempotency);
    // The job is on disk: the client gets its uuid even if the wait fails.
    if (waitSeconds > 0) {
      await pendingRequests.waitAsPreferred(caller, uuid, waitSeconds, reply).catch(() => null);
    }
    return reply
      .code(202)
      .header("location", `${path}/result/${uuid}`)
      .header("retry-after", "1")
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ uuid, error: "" }));
  }

  app.route({
    method: "POST",
    url: "/v1/search/live/:platform",
    config,
    schema: {
      operationId: "submitSearch",
      summary: "Submit a search",
      description:
        "Searches live or historical posts, depending on the method. Repeated with the same Idempotency-Key, it " +
        "returns the same job and costs no submission.",
      tags: ["search"],
      security: [{ key: [] }],
      params: platformPath,
      querystring: noQuery,
      headers: submissionHeaders,
      body: submission,
      response: responses,
    },
    handler: (request, reply) => {
      const platformName = request.params.platform;
      const platform = parsePlatform(platformName) ?? "social";
      const path = `/v1/search/live/${platformName}`;
      const body = readSubmission(request.body);
      return respond(request, reply, platform, body, platformPathRules, path);
    },
  });

  app.route({
    method: "POST",
    url: "/v1/search/live",
    config,
    schema: {
      operationId: "submitSearchByType",
      summary: "Submit a search, with the platform in the type",
      description:
        "The type names the platform. A max_results above the method's limit, up to 1000, is lowered to it, with " +
        "a warning in the status.",
      tags: ["search"],
      security: [{ key: [] }],
      querystring: noQuery,
      headers: submissionHeaders,
      body: submission,
      response: responses,
    },
    handler: (request, reply) => {
      const body = readSubmission(request.body);
      return respond(request, reply, "social", body, plainPathRules, "/v1/search/live");
    },
  });
}
