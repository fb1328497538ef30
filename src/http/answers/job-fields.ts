import type { FastifyReply } from "fastify";
import { fitsCursor } from "../../jobs/cursor.ts";
import type { Job } from "../../jobs/job.ts";
import type { EvidenceKind, ResultSignature } from "../../jobs/result-signature.ts";
import { serializeList } from "../../lib/structured-fields.ts";
import type { SourceWarning } from "../../platforms/source.ts";

export function jobWarnings({
  request,
  warnings,
  result,
}: Pick<Job, "warnings" | "result"> & {
  request: Pick<Job["request"], "method">;
}): readonly SourceWarning[] {
  if (result === null) return warnings;
  const { next, nextPosition = null } = result;
  const isTruncated = next === null && nextPosition !== null && !fitsCursor(nextPosition);
  const isEmptyLive = request.method === "searchbyquery" && result.items.length === 0;
  const resultWarnings = isEmptyLive ? result.warnings.map(withArchiveHint) : result.warnings;
  return [
    ...warnings,
    ...resultWarnings,
    ...(isTruncated ? [cursorTooLong(nextPosition.platform)] : []),
  ];
}

/** Live searches do not see older archived posts. */
const withArchiveHint = (warning: SourceWarning): SourceWarning =>
  warning.code === "incomplete_coverage"
    ? { ...warning, hint: `${warning.hint}; use searchbyfullarchive for older posts` }
    : warning;

const cursorTooLong = (platform: string): SourceWarning => ({
  code: "cursor_too_long",
  message: `there is more, but the page token of ${platform} is too long for a cursor`,
});

export function resultEvidence({ result }: Pick<Job, "result">): EvidenceKind | null {
  return result === null ? null : (result.signature?.evidence ?? "none");
}

/** An RFC 9651 item: `"embedded";evidence=none`. */
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

/** RFC 9421. */
export function setSignatureFields(reply: FastifyReply, { fields }: ResultSignature): void {
  const { "content-type": _covered, ...rest } = fields;
  reply.headers(rest);
}

/** Unsigned because records were withdrawn, or the stored result was altered. */
export function setUnsignedField(reply: FastifyReply, withdrawnRecords: number): void {
  const reason =
    withdrawnRecords > 0
      ? { value: "withdrawn", parameters: { records: withdrawnRecords } }
      : { value: "altered" };
  reply.header("x-unsigned", serializeList([reason]));
}
