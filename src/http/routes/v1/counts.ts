import { printQuery } from "@earshot/query/tree";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SourceCounts } from "../../../search/archive/count.ts";
import { parseSearchQuery } from "../../../search/parse-search-query.ts";
import { countsBody } from "../../answers/counts-body.ts";
import { granularityMs, makeCountsPage, readRequestedBounds } from "../../answers/counts-page.ts";
import { setCoverageFields } from "../../answers/result-fields.ts";
import { clientDisconnect } from "../../connections/client-disconnect.ts";
import type { HttpContext } from "../../context.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import {
  type CountsQuery,
  countsQuery,
  countsResponse,
  granularities,
} from "../../schemas/counts.ts";
import { platformPath } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import { invalidRequest } from "../../schemas/validation.ts";
import { diagnosticWarning } from "../../submission/new-job.ts";
import { parsePlatform } from "../../submission/source-types.ts";
import { createSearchPermit, requireCounts } from "../../submission/submission.ts";
import { requestedSpan, windowWarnings } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

export function addCountsRoute(app: TypedApp, context: HttpContext): void {
  app.route({
    method: "GET",
    url: "/v1/search/:platform/counts",
    config: { access: "call", isSubmission: true },
    schema: {
      operationId: "countPosts",
      summary: "Count posts over time",
      description:
        "The number of matching posts in each minute, hour or day, in the format of X's counts. Costs one request and one " +
        "submission. The newest page comes first; meta.next_token returns the next older one.",
      tags: ["search"],
      security: [{ key: [] }],
      params: platformPath,
      querystring: countsQuery,
      response: {
        200: jsonResponse("The counts, oldest bucket first.", countsResponse),
        ...problemResponses({
          400: "A parameter or the query is invalid; errors says where, and how to fix it.",
          401: "No valid key.",
          403: "The key is not allowed to search, or its account is suspended.",
          404: "The path names no platform.",
          429: "The key exceeded a rate limit; retry after Retry-After.",
          503: "The archive is temporarily unavailable.",
          504: "The deadline passed before the first bucket was counted.",
        }),
      },
    },
    handler: async (request, reply) => {
      const platformName = request.params.platform;
      requireCounts(requireCaller(request));
      const { tree, warnings, ...countsParams } = makeCountsParams(
        context,
        request,
        platformName,
        request.query,
      );
      const page = makeCountsPage(context, countsParams, request.query.next_token);
      const disconnectSignal = clientDisconnect(reply);
      const counts = await countOrFail(context, reply, disconnectSignal, () =>
        context.countPosts(
          {
            platform: countsParams.platform,
            tree,
            fromMs: page.fromMs,
            toMs: page.toMs,
            bucketMs: granularityMs[countsParams.granularity],
            asOfMs: page.asOfMs,
            account: countsParams.caller.accountId,
          },
          context.clock.now() + context.settings.countDeadlineMs,
          disconnectSignal,
        ),
      );
      if (counts === null) return reply.hijack();
      if (page.fromMs < page.toMs && counts.countedFromMs >= page.toMs) throw nothingCounted();
      const { bounds } = countsParams;
      const effectiveBounds = { startMs: bounds.startMs, endMs: bounds.endMs ?? page.toMs };
      const requestWarnings = [
        ...warnings.map(diagnosticWarning),
        ...windowWarnings(
          { fromMs: null, toMs: page.toMs },
          effectiveBounds,
          requestedSpan(tree, effectiveBounds, page.asOfMs),
        ),
      ];
      const answer = { ...counts, warnings: [...requestWarnings, ...counts.warnings] };
      setCoverageFields(reply, answer);
      const body = await countsBody(context, countsParams, page, answer);
      return reply.type("application/json; charset=utf-8").send(body);
    },
  });
}

function makeCountsParams(
  { settings }: HttpContext,
  request: FastifyRequest,
  platformName: string,
  parameters: CountsQuery,
) {
  const query = parameters.query.toWellFormed();
  if (query.trim() === "") throw missingQuery();
  const { tree, warnings } = parseSearchQuery(query, { maxLength: settings.maxArchiveQueryLength });
  return {
    tree,
    warnings,
    caller: requireCaller(request),
    platform: parsePlatform(platformName) ?? "social",
    granularity: granularities.find((name) => name === parameters.granularity) ?? "hour",
    canonicalQuery: printQuery(tree),
    bounds: readRequestedBounds(parameters),
  } as const;
}

/**
 * Refunds the search on failure. Null after a disconnect, which is charged because the count used
 * reader time.
 */
async function countOrFail(
  context: HttpContext,
  reply: FastifyReply,
  disconnectSignal: AbortSignal,
  count: () => Promise<SourceCounts>,
): Promise<SourceCounts | null> {
  const permit = createSearchPermit(context, reply);
  await permit.take();
  try {
    const counts = await count();
    context.metrics.submissions.inc({ method: "counts" });
    return counts;
  } catch (error) {
    if (disconnectSignal.aborted) return null;
    await permit.refund();
    throw error;
  }
}

function missingQuery() {
  return invalidRequest([
    {
      code: "query_required",
      message: "a query is required",
      hint: "send a query, such as ?query=comet%20lang:en",
      pointer: "/query",
    },
  ]);
}

function nothingCounted() {
  return problem("deadline_exceeded", "timed out before the first bucket was counted", {
    hint: "narrow start_time and end_time, use a finer granularity, or raise EARSHOT_COUNT_DEADLINE",
  });
}
