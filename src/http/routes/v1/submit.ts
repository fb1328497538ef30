import type { FastifyReply } from "fastify";
import { plainPathRules, wordPathRules } from "../../checked-arguments.ts";
import { callerOf } from "../../hooks/caller.ts";
import { handle, jsonAnswer, problemAnswers } from "../../schemas/answers.ts";
import { platformPath } from "../../schemas/parameters.ts";
import { plainSubmission, submission } from "../../schemas/submission.ts";
import { platformOfWord } from "../../source-types.ts";
import type { Submissions } from "../../submission.ts";
import type { TypedApp } from "../typed-app.ts";

const answers = {
  202: jsonAnswer(
    "Accepted and on disk. Location is the result's path, Retry-After the seconds to wait.",
    handle,
  ),
  ...problemAnswers({
    400: "The body, an argument or the query is not valid; errors tells where and how to fix it.",
    401: "No valid key.",
    404: "The path names no platform.",
    413: "The body is too large.",
    415: "The body is not plain JSON.",
    422: "Nothing configured can answer the method.",
    429: "A rate of the key is used up; Retry-After tells when to come again.",
    503: "Too many jobs wait, or the store cannot be written.",
  }),
};

const config = { pace: "call", refusalHoldsUuid: true } as const;

/** POST /v1/search/live/<platform>, and the same without the platform's word. */
export function addSubmitRoutes(app: TypedApp, submissions: Submissions): void {
  app.route({
    method: "POST",
    url: "/v1/search/live/:platform",
    config,
    schema: {
      operationId: "submitSearch",
      summary: "Submit a search",
      description: "Takes a search of live or historical posts; the method selects which.",
      tags: ["search"],
      security: [{ key: [] }],
      params: platformPath,
      body: submission,
      response: answers,
    },
    handler: async (request, reply) => {
      const word = request.params.platform;
      const platform = platformOfWord(word) ?? "social";
      const caller = callerOf(request);
      const job = await submissions.submit(caller, platform, request.body, wordPathRules, reply);
      return accepted(reply, job.uuid, `/v1/search/live/${word}`);
    },
  });

  app.route({
    method: "POST",
    url: "/v1/search/live",
    config,
    schema: {
      operationId: "submitSearchByType",
      summary: "Submit a search, its platform named by the type alone",
      description:
        "As clients of the path without a platform send it: empty count, start_time, end_time and next_cursor count as " +
        "absent, and max_results up to 1000 is answered with the method's bound and a warning in the status.",
      tags: ["search"],
      security: [{ key: [] }],
      body: plainSubmission,
      response: answers,
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const job = await submissions.submit(caller, "social", request.body, plainPathRules, reply);
      return accepted(reply, job.uuid, "/v1/search/live");
    },
  });
}

function accepted(reply: FastifyReply, uuid: string, path: string) {
  return reply
    .code(202)
    .header("location", `${path}/result/${uuid}`)
    .header("retry-after", "1")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ uuid, error: "" }));
}
