import type { FastifyReply, FastifyRequest } from "fastify";
import type { Job, JobResult } from "../../../jobs/job.ts";
import { recordsPage } from "../../../search/merge/answer-records.ts";
import { withDamage } from "../../../search/merge/damage.ts";
import {
  jobResult,
  sendUnfinishedJob,
  setNodeField,
  setProofLinks,
  setSignatureFields,
  setUnsignedField,
} from "../../answers/job-answer.ts";
import { setResultFields } from "../../answers/result-fields.ts";
import { readSignedRecords } from "../../answers/signed-records.ts";
import type { HttpContext } from "../../context.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { waitAsRequested } from "../../long-poll/prefer.ts";
import { problem } from "../../problems/write-problem.ts";
import { unfinishedJob } from "../../schemas/job-status.ts";
import { jobPath, platformJobPath, waitHeaders, waitQuery } from "../../schemas/parameters.ts";
import { records } from "../../schemas/records.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const sharedSchema = {
  summary: "Fetch the result of a job",
  description:
    "The records; posts of a search come newest first. X-Next-Cursor is set if there are more, X-Coverage says which part of the window is " +
    "covered completely, X-Node which node produced the result. A signed result has its signature (RFC 9421), or X-Unsigned if records have since been withdrawn.",
  tags: ["search"],
  security: [{ key: [] }],
  headers: waitHeaders,
  querystring: waitQuery,
  response: {
    200: jsonResponse("The records; empty if none matched.", records),
    202: jsonResponse("The job has not ended; retry after Retry-After.", unfinishedJob),
    ...problemResponses({
      400: "wait is not a whole number from 1 to 30, or Prefer is malformed.",
      401: "No valid key.",
      403: "The account is suspended.",
      404: "The job does not exist, or belongs to another account.",
      410: "The job was cancelled, or its result has expired.",
      429: "The key exceeded its requests per second for too long, or the job belongs to another account.",
      500: "The job failed because of an error in Earshot.",
      502: "The job failed because of a platform error.",
      503: "The archive is temporarily unavailable.",
      504: "The job exceeded its deadline.",
    }),
  },
};

export function addResultRoutes(
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
    const result = jobResult(job);
    return result === null ? sendUnfinishedJob(reply, job) : sendResult(reply, job, result);
  }

  async function sendResult(reply: FastifyReply, job: Job, result: JobResult) {
    const { body, damage } = await getBody(reply, job, result);
    const currentResult = withDamage(result, damage);
    setResultFields(context, reply, { ...job, result: currentResult }, currentResult);
    setNodeField(reply, job);
    freeAfterSending(reply, body);
    return reply.type("application/json; charset=utf-8").send(body);
  }

  async function getBody(reply: FastifyReply, { uuid }: Job, result: JobResult) {
    const { signature = null } = result;
    if (signature === null) {
      const cachedPage = context.jobs.takePage(uuid);
      return cachedPage === null
        ? await recordsPage(context.archive, result.items)
        : { body: cachedPage.body, damage: [] };
    }
    const { body, damage, matchesSignature, withdrawnCount } = await readSignedRecords(
      context,
      result,
      signature,
    );
    if (matchesSignature) {
      setSignatureFields(reply, signature);
      setProofLinks(reply, uuid, signature);
    } else {
      setUnsignedField(reply, withdrawnCount);
    }
    return { body, damage };
  }

  app.route({
    method: "GET",
    url: "/v1/search/live/:platform/result/:uuid",
    config: { access: "read" },
    schema: { ...sharedSchema, operationId: "fetchResult", params: platformJobPath },
    handler: (request, reply) => respond(request, reply, request.params.uuid, request.query.wait),
  });
  app.route({
    method: "GET",
    url: "/v1/search/live/result/:uuid",
    config: { access: "read" },
    schema: { ...sharedSchema, operationId: "fetchResultWithoutPlatform", params: jobPath },
    handler: (request, reply) => respond(request, reply, request.params.uuid, request.query.wait),
  });
}

/**
 * Frees the body, because a hundred unused ones would make V8 collect the whole heap. It must not
 * be used afterwards.
 */
export function freeAfterSending({ raw }: FastifyReply, { buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < buffer.byteLength) return;
  // After "close", the system has the bytes or will never take them.
  raw.once("close", () => buffer.transfer(0));
}
