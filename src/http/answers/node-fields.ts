import type { FastifyReply } from "fastify";
import type { Job } from "../../jobs/job.ts";
import type { EvidenceKind, ResultSignature } from "../../jobs/result-signature.ts";
import { serializeList } from "../../lib/structured-fields.ts";

/** What stood for the node that made a result; null while there is no result. The server's own node shows nothing for itself. */
export function evidenceOf({ result }: Pick<Job, "result">): EvidenceKind | null {
  return result === null ? null : (result.signature?.evidence ?? "none");
}

/** The `X-Node` field, an item of RFC 9651: `"embedded";evidence=none`. */
export function nodeField(nodeId: string, evidence: EvidenceKind): string {
  return `${serializeList([{ value: nodeId }])};evidence=${evidence}`;
}

/** Which node has made the result of a job, and what it showed for itself. */
export function setNodeField(reply: FastifyReply, job: Pick<Job, "node" | "result">): void {
  const evidence = evidenceOf(job);
  if (job.node !== null && evidence !== null) {
    reply.header("x-node", nodeField(job.node, evidence));
  }
}

/** Where the proof of a result is, and what the node's keys were attested with. */
export function setProofLinks(
  reply: FastifyReply,
  uuid: string,
  { attestationId }: ResultSignature,
): void {
  const proof = `</v1/search/live/result/${uuid}/proof>; rel="proof"`;
  reply.header("link", `</v1/attestations/${attestationId}>; rel="attestation", ${proof}`);
}

/** The signature of a result (RFC 9421), as the node made it. It covers the body and its type as they are sent. */
export function setSignatureFields(reply: FastifyReply, { fields }: ResultSignature): void {
  const { "content-type": _covered, ...rest } = fields;
  reply.headers(rest);
}

/**
 * Says that a result is not what the node has signed, as records of it were withdrawn; none of them where what is kept of it has
 * been altered.
 */
export function setUnsignedField(reply: FastifyReply, withdrawnRecords: number): void {
  const reason =
    withdrawnRecords > 0
      ? { value: "withdrawn", parameters: { records: withdrawnRecords } }
      : { value: "altered" };
  reply.header("x-unsigned", serializeList([reason]));
}
