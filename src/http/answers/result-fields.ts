import type { FastifyReply } from "fastify";
import type { Job, JobResult } from "../../jobs/job.ts";
import { serializeList } from "../../lib/structured-fields.ts";
import type { Coverage, SourceWarning } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { jobWarnings } from "./job-warnings.ts";
import { cursorOf } from "./next-cursor.ts";
import { coverageField } from "./status-body.ts";

/** What an answer knows of its window, and what is to be remarked on it. */
type Knowledge = {
  complete: boolean;
  coverage: Coverage;
  warnings: readonly SourceWarning[];
};

/** What every answer from the archive tells in its header: the window's coverage, and the codes of the warnings when there are any. */
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

/** The same for the result of a job, and where to go on when there is more. */
export function setResultFields(
  context: Pick<HttpContext, "cursorKey">,
  reply: FastifyReply,
  job: Job,
  result: JobResult,
): void {
  const cursor = cursorOf(context, job);
  if (cursor !== null) reply.header("x-next-cursor", cursor);
  setKnowledgeFields(reply, { ...result, warnings: jobWarnings(job) });
}
