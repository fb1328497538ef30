import * as z from "zod";
import { readRecords } from "../../../search/merge/answer-records.ts";
import { withDamage } from "../../../search/merge/damage.ts";
import { jobResult, setNodeField } from "../../answers/job-answer.ts";
import { setResultFields } from "../../answers/result-fields.ts";
import type { HttpContext } from "../../context.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { idempotencyHeaders, noQuery, platformPath } from "../../schemas/parameters.ts";
import { recentResponse } from "../../schemas/records.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import { queryTextError, type Submission, wholeNumberError } from "../../schemas/submission.ts";
import { closedObject } from "../../schemas/words.ts";
import { platformPathRules } from "../../submission/checked-arguments.ts";
import { parsePlatform } from "../../submission/source-types.ts";
import {
  idempotentRequest,
  readIdempotency,
  type Submissions,
} from "../../submission/submission.ts";
import type { TypedApp } from "../typed-app.ts";

const bodyErrors = {
  kind: "field",
  message: "expected a JSON object",
  hint: 'send {"query":"comet","count":20}',
};

const recentBody = closedObject(bodyErrors, {
  query: z.string(queryTextError).meta({ description: "The query, with operators." }),
  count: z
    .int(wholeNumberError)
    .optional()
    .meta({ description: "Maximum posts, 1 to 100; default: 20." }),
}).meta({ id: "RecentSearch", examples: [{ query: "comet lang:en", count: 20 }] });

const makeRecentSubmission = ({ query, count }: z.infer<typeof recentBody>): Submission => ({
  type: "social",
  arguments: { type: "searchbyquery", query, count },
  argumentsPointer: "",
});

const recentText = (records: readonly string[], nodeId: string): string =>
  `{"data":[${records.join(",")}],"recordCount":${records.length},"workerPeerId":${JSON.stringify(nodeId)}}`;

export function addRecentRoute(
  app: TypedApp,
  context: Pick<HttpContext, "archive" | "cursorKey">,
  submissions: Submissions,
  pendingRequests: PendingRequests,
): void {
  app.route({
    method: "POST",
    url: "/api/v1/data/:platform/tweets/recent",
    config: { access: "call", isSubmission: true, isAdmittedWithSearch: true, canOmitKey: true },
    schema: {
      operationId: "searchRecent",
      summary: "Search recent posts in one request",
      description:
        "The live search of a node. Costs one request and one submission. X-Coverage, X-Warnings, X-Next-Cursor and X-Node are those " +
        "of a result; the cursor continues in a submission of the same search.",
      tags: ["node"],
      security: [{ key: [] }],
      params: platformPath,
      querystring: noQuery,
      headers: idempotencyHeaders,
      body: recentBody,
      response: {
        200: jsonResponse("The posts, newest first; empty if none matched.", recentResponse),
        ...problemResponses({
          400: "The body or the query is invalid.",
          401: "No valid key.",
          403: "The key is not allowed to use searchbyquery, or its account is suspended.",
          404: "The path names no platform.",
          410: "The search was cancelled, or its result has expired.",
          413: "The body is too large.",
          415: "The body is not plain JSON.",
          422: "The Idempotency-Key belongs to another search.",
          429: "The key exceeded a rate limit; retry after Retry-After.",
          500: "The search failed because of an error in Earshot.",
          502: "The search failed because of a platform error.",
          503: "Too many jobs are waiting, the store is unavailable, or the server is stopping.",
          504: "The search exceeded its deadline.",
        }),
      },
    },
    handler: async (request, reply) => {
      const caller = requireCaller(request);
      const platform = parsePlatform(request.params.platform) ?? "social";
      const body = makeRecentSubmission(request.body);
      const idempotency = readIdempotency(request.headers, idempotentRequest(platform, body));
      const job = await pendingRequests.submitAndWait(caller, reply, () =>
        submissions.submit(platform, body, platformPathRules, reply, idempotency),
      );
      const result = jobResult(job);
      if (result === null) throw problem("unavailable", "the search is still running; retry");
      const { records: texts, damage } = await readRecords(context.archive, result.items);
      const answer = withDamage(result, damage);
      setResultFields(context, reply, { ...job, result: answer }, answer);
      setNodeField(reply, job);
      return reply.type("application/json; charset=utf-8").send(recentText(texts, job.node ?? ""));
    },
  });
}
