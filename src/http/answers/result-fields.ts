import type { FastifyReply } from "fastify";
import type { Job, JobResult } from "../../jobs/job.ts";
import { serializeList } from "../../lib/structured-fields.ts";
import type { Coverage, SourceWarning } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { jobWarnings } from "./job-warnings.ts";
import { nextPageCursor } from "./next-cursor.ts";
import { coverageField } from "./status-body.ts";

type Knowledge = {
  complete: boolean;
  coverage: Coverage;
  warnings: readonly SourceWarning[];
};

export function setKnowledgeFields(
  reply: FastifyReply,
  { complete, coverage, warnings }: Knowledge,
): void {
  reply.header("x-coverage", coverageField(complete, coverage));
  const codes = [...new Set(warnings.map(({ code }) => code))];
  if (codes.length > 0) {
    reply.header("x-warnings", serializeList(codes.map((value) => ({ value }))));
  }
}

export function setResultFields(
  context: Pick<HttpContext, "cursorKey">,
  reply: FastifyReply,
  job: Job,
  result: JobResult,
): void {
  const cursor = nextPageCursor(context, job);
  if (cursor !== null) reply.header("x-next-cursor", cursor);
  const { complete, coverage } = result;
  setKnowledgeFields(reply, { complete, coverage, warnings: jobWarnings(job) });
}
