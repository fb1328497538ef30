import type { FastifyReply } from "fastify";
import { fitsInCursor } from "../../jobs/cursor.ts";
import type { Job, JobFailure, JobResult } from "../../jobs/job.ts";
import type { EvidenceKind, ResultSignature } from "../../jobs/result-signature.ts";
import type { EarshotError } from "../../lib/errors.ts";
import { serializeList } from "../../lib/structured-fields.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { problem } from "../problems/write-problem.ts";

/** Null while the job is unfinished. Errors: `result_expired`, `job_cancelled`, and that of a failed job. */
export function jobResult({ state, result, failure }: Job): JobResult | null {
  switch (state) {
    case "done":
      if (result !== null) return result;
      throw problem("result_expired", "the result is no longer stored");
    case "error":
      throw getJobError(failure);
    case "cancelled":
      throw problem("job_cancelled", "the job was cancelled");
    case "expired":
      throw problem("result_expired", "the result is no longer stored", {
        hint: "submit the search again",
      });
    default:
      return null;
  }
}

function getJobError(failure: JobFailure | null): EarshotError {
  if (failure === null) return problem("job_failed", "the job failed");
  const { code, message, status, hint, retryable } = failure;
  const help = hint === undefined ? {} : { hint };
  if (status === 504) return problem("deadline_exceeded", message, help);
  if (status === 502) {
    const problemFields = {
      details: [{ code, message }],
      ...(retryable === undefined ? {} : { retryable }),
    };
    return problem("upstream_failed", message, { ...help, ...problemFields });
  }
  return problem("job_failed", message, help);
}

export function sendUnfinishedJob(reply: FastifyReply, { uuid, state }: Job) {
  return reply
    .code(202)
    .header("retry-after", "1")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ uuid, status: state, error: "" }));
}

export function jobWarnings({
  request,
  warnings,
  result,
}: Pick<Job, "warnings" | "result"> & {
  request: Pick<Job["request"], "method">;
}): readonly SourceWarning[] {
  if (result === null) return warnings;
  const { next, nextPosition = null } = result;
  const isTruncated = next === null && nextPosition !== null && !fitsInCursor(nextPosition);
  const isEmptyLive = request.method === "searchbyquery" && result.items.length === 0;
  const resultWarnings = isEmptyLive ? result.warnings.map(withArchiveHint) : result.warnings;
  return [
    ...warnings,
    ...resultWarnings,
    ...(isTruncated ? [cursorTooLong(nextPosition.platform)] : []),
  ];
}

/** Live searches do not return older archived posts. */
const withArchiveHint = (warning: SourceWarning): SourceWarning =>
  warning.code === "incomplete_coverage"
    ? { ...warning, hint: `${warning.hint}; use searchbyfullarchive for older posts` }
    : warning;

const cursorTooLong = (platform: string): SourceWarning => ({
  code: "cursor_too_long",
  message: `there is more, but ${platform}'s page token is too long for a cursor`,
});

export function resultEvidence({ result }: Pick<Job, "result">): EvidenceKind | null {
  return result === null ? null : (result.signature?.evidence ?? "none");
}

/** An RFC 9651 item, such as `"embedded";evidence=none`. */
function nodeField(nodeId: string, evidence: EvidenceKind): string {
  return `${serializeList([{ value: nodeId }])};evidence=${evidence}`;
}

export function setNodeField(reply: FastifyReply, job: Pick<Job, "node" | "result">): void {
  const evidence = resultEvidence(job);
  if (job.node !== null && evidence !== null) {
    reply.header("x-node", nodeField(job.node, evidence));
  }
}

export function setProofLinks(
  reply: FastifyReply,
  uuid: string,
  { attestationId }: ResultSignature,
): void {
  const proof = `</v1/search/live/result/${uuid}/proof>; rel="proof"`;
  reply.header("link", `</v1/attestations/${attestationId}>; rel="attestation", ${proof}`);
}

/** Sets the signature fields (RFC 9421). */
export function setSignatureFields(reply: FastifyReply, { fields }: ResultSignature): void {
  const { "content-type": _covered, ...rest } = fields;
  reply.headers(rest);
}

/** The reason is withdrawn records or an altered result. */
export function setUnsignedField(reply: FastifyReply, withdrawnRecords: number): void {
  const reason =
    withdrawnRecords > 0
      ? { value: "withdrawn", parameters: { records: withdrawnRecords } }
      : { value: "altered" };
  reply.header("x-unsigned", serializeList([reason]));
}
