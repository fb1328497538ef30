import { splitJsonPage } from "../../../lib/json-page.ts";
import { contentTypes, renderBody } from "../../answers/body.ts";
import {
  jobResult,
  sendUnfinishedJob,
  setNodeField,
  setProofLinks,
} from "../../answers/job-answer.ts";
import { negotiate } from "../../answers/negotiate.ts";
import { makeAnswerPage } from "../../answers/page.ts";
import { setPageFields } from "../../answers/result-fields.ts";
import type { HttpContext } from "../../context.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { unfinishedJob } from "../../schemas/job-status.ts";
import { idempotencyHeaders, noQuery, platformPath } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import { defaultWaitSeconds, searchBody } from "../../schemas/search.ts";
import { searchResponses } from "../../schemas/search-answer.ts";
import { readSubmission } from "../../schemas/submission.ts";
import { platformPathRules } from "../../submission/checked-arguments.ts";
import { parsePlatform } from "../../submission/source-types.ts";
import {
  idempotentRequest,
  readIdempotency,
  type Submissions,
} from "../../submission/submission.ts";
import type { TypedApp } from "../typed-app.ts";

export function addSearchRoute(
  app: TypedApp,
  context: HttpContext,
  submissions: Submissions,
  pendingRequests: PendingRequests,
): void {
  app.route({
    method: "POST",
    url: "/v1/search/:platform",
    config: {
      access: "call",
      isSubmission: true,
      isAdmittedWithSearch: true,
      refusalHasUuid: true,
    },
    onRequest: async (_request, reply) => {
      reply.header("vary", "Accept");
    },
    schema: {
      operationId: "search",
      summary: "Search and get the posts in one call",
      description:
        "Submits a search, waits for it, and returns its posts with coverage and citations; " +
        "Accept selects the format. Costs one request and one submission. A search that takes longer than wait continues; " +
        "fetch its result as usual.",
      tags: ["search"],
      security: [{ key: [] }],
      params: platformPath,
      querystring: noQuery,
      headers: idempotencyHeaders,
      body: searchBody,
      response: {
        200: searchResponses,
        202: jsonResponse(
          "The job did not end within wait. Location is the result's path, Retry-After the seconds to wait.",
          unfinishedJob,
        ),
        ...problemResponses({
          400: "The body, an argument or the query is invalid; errors says where, and how to fix it.",
          401: "No valid key.",
          403: "The key is not allowed to use the method, or its account is suspended.",
          404: "The path names no platform.",
          406: "Accept names no available format.",
          410: "The job was cancelled during the wait, or its result has expired.",
          413: "The body is too large.",
          415: "The body is not plain JSON.",
          422: "No configured source supports the method, or the Idempotency-Key belongs to another search.",
          429: "The key exceeded a rate limit; retry after Retry-After.",
          500: "The job failed because of an error in Earshot.",
          502: "The job failed because of a platform error.",
          503: "Too many jobs are waiting, or the store or archive is unavailable.",
          504: "The job exceeded its deadline.",
        }),
      },
    },
    handler: async (request, reply) => {
      const format = negotiate(request.headers.accept);
      const caller = requireCaller(request);
      const platformName = request.params.platform;
      const { wait, fields, max_chars: maxChars, ...submissionFields } = request.body;
      const platform = parsePlatform(platformName) ?? "social";
      // Wait and presentation do not affect the search.
      const body = readSubmission(submissionFields);
      const idempotency = readIdempotency(request.headers, idempotentRequest(platform, body));
      const submit = async () => {
        const submittedJob = await submissions.submit(
          platform,
          body,
          platformPathRules,
          reply,
          idempotency,
        );
        // The job is on disk, so problems also name it.
        request.jobUuid = submittedJob.uuid;
        reply.header("x-job-uuid", submittedJob.uuid);
        return submittedJob;
      };
      const waitSeconds = wait ?? defaultWaitSeconds;
      const job = await pendingRequests.submitAndWaitAtMost(caller, reply, waitSeconds, submit);
      const result = jobResult(job);
      if (result === null) {
        reply.header("location", `/v1/search/live/${platformName}/result/${job.uuid}`);
        return sendUnfinishedJob(reply, job);
      }
      const presentation = { fields: fields ?? null, maxChars: maxChars ?? null };
      const cachedPage = context.jobs.takePage(job.uuid);
      const records = cachedPage === null ? null : splitJsonPage(cachedPage);
      const page = await makeAnswerPage(context, job, result, presentation, records);
      setPageFields(reply, page);
      setNodeField(reply, job);
      if (result.signature) setProofLinks(reply, job.uuid, result.signature);
      return reply.type(contentTypes[format]).send(await renderBody(page, format, context.clock));
    },
  });
}
