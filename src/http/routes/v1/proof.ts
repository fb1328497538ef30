import type { FastifyReply, FastifyRequest } from "fastify";
import type { Job } from "../../../jobs/job.ts";
import type { ResultSignature } from "../../../jobs/result-signature.ts";
import { startSlices } from "../../../lib/slices.ts";
import type { Attestation } from "../../../remote/proof/read-proof.ts";
import { jobResult, sendUnfinishedJob } from "../../answers/job-answer.ts";
import { readSignedRecords } from "../../answers/signed-records.ts";
import type { HttpContext } from "../../context.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { unfinishedJob } from "../../schemas/job-status.ts";
import { proof } from "../../schemas/nodes.ts";
import { jobPath, platformJobPath } from "../../schemas/parameters.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const sharedSchema = {
  summary: "Fetch the proof of a result",
  description:
    "Proves which node produced the result, and with what evidence. Verify it offline with " +
    "earshot verify.",
  tags: ["search"],
  security: [{ key: [] }],
  response: {
    200: jsonResponse("The proof.", proof),
    202: jsonResponse("The job has not ended; retry after Retry-After.", unfinishedJob),
    ...problemResponses({
      400: "The request is invalid.",
      401: "No valid key.",
      403: "The account is suspended.",
      404: "The job does not exist, belongs to another account, or its result is not signed.",
      410: "Records of the result were withdrawn, the job was cancelled, or its result has expired.",
      429: "The key exceeded its requests per second for too long, or the job belongs to another account.",
      500: "The job failed because of an error in Earshot.",
      502: "The job failed because of a platform error.",
      503: "The archive is temporarily unavailable.",
      504: "The job exceeded its deadline.",
    }),
  },
};

type Context = Pick<HttpContext, "jobs" | "nodes" | "archive" | "clock">;

export function addProofRoutes(app: TypedApp, context: Context): void {
  async function respond(request: FastifyRequest, reply: FastifyReply, uuid: string) {
    const job = await context.jobs.find(requireCaller(request).accountId, uuid);
    if (job === null) throw problem("job_not_found", "job not found");
    const result = jobResult(job);
    if (result === null) return sendUnfinishedJob(reply, job);
    const { signature = null } = result;
    if (signature === null) throw resultUnsigned();
    const { records, matchesSignature, withdrawnCount } = await readSignedRecords(
      context,
      result,
      signature,
    );
    if (withdrawnCount > 0) throw recordsWithdrawn(withdrawnCount);
    if (!matchesSignature)
      throw problem("internal", "the stored result differs from the signed one");
    const attestation = await context.nodes.attestation(signature.attestationId);
    if (attestation === null) throw attestationDeleted();
    const text = await proofText(context, job, records, signature, attestation);
    return reply.type("application/json; charset=utf-8").send(text);
  }

  app.route({
    method: "GET",
    url: "/v1/search/live/:platform/result/:uuid/proof",
    config: { access: "read" },
    schema: { ...sharedSchema, operationId: "fetchProof", params: platformJobPath },
    handler: (request, reply) => respond(request, reply, request.params.uuid),
  });
  app.route({
    method: "GET",
    url: "/v1/search/live/result/:uuid/proof",
    config: { access: "read" },
    schema: { ...sharedSchema, operationId: "fetchProofWithoutPlatform", params: jobPath },
    handler: (request, reply) => respond(request, reply, request.params.uuid),
  });
}

/** Yields to the event loop, because the body may have several megabytes. */
async function proofText(
  { clock }: Pick<Context, "clock">,
  { uuid }: Job,
  records: readonly string[],
  { fields, knowledge, request }: ResultSignature,
  attestation: Attestation,
): Promise<Buffer> {
  const yieldIfDue = startSlices(clock);
  const pieces = [Buffer.from(`{"version":1,"job":"${uuid}","body":"[`)];
  for (const [index, record] of records.entries()) {
    const escapedRecord = JSON.stringify(record).slice(1, -1);
    pieces.push(Buffer.from(index === 0 ? escapedRecord : `,${escapedRecord}`));
    await yieldIfDue();
  }
  const tail = JSON.stringify({ fields, knowledge, request, attestation });
  pieces.push(Buffer.from(`]",${tail.slice(1)}`));
  return Buffer.concat(pieces);
}

function resultUnsigned() {
  return problem("proof_not_found", "the embedded node made the result", {
    hint: "find nodes that sign results at GET /v1/nodes",
  });
}

function attestationDeleted() {
  return problem("proof_not_found", "the node's attestation is no longer stored", {
    hint: "submit the search again, and fetch the proof with its result",
  });
}

function recordsWithdrawn(count: number) {
  const recordsText = count === 1 ? "1 record has been" : `${count} records have been`;
  return problem("proof_withdrawn", `${recordsText} withdrawn since the node signed the result`, {
    hint: "submit the search again for a result without the withdrawn records",
  });
}
