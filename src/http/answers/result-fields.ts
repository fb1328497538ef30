import type { FastifyReply } from "fastify";
import type { Job, JobResult } from "../../jobs/job.ts";
import { serializeDictionary, serializeList } from "../../lib/structured-fields.ts";
import type { Coverage, SourceWarning } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { jobWarnings } from "./job-answer.ts";
import { nextPageCursor } from "./next-cursor.ts";
import { type AnswerPage, pageWarnings } from "./page.ts";
import { coverageField } from "./status-body.ts";

type CoverageInfo = {
  complete: boolean;
  coverage: Coverage;
  warnings: readonly SourceWarning[];
};

export function setCoverageFields(
  reply: FastifyReply,
  { complete, coverage, warnings }: CoverageInfo,
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
  setCoverageFields(reply, { complete, coverage, warnings: jobWarnings(job) });
}

/** Sets structured fields (RFC 9651), and the cursor. */
export function setPageFields(reply: FastifyReply, page: AnswerPage): void {
  const { result, posts, omitted, nextCursor } = page;
  setCoverageFields(reply, { ...result, warnings: pageWarnings(page) });
  if (nextCursor !== null) reply.header("x-next-cursor", nextCursor);
  const shortenedCount = posts.filter((post) => post.shortenedFrom !== null).length;
  if (shortenedCount > 0 || omitted > 0) {
    const truncated = { shortened: { value: shortenedCount }, omitted: { value: omitted } };
    reply.header("x-truncated", serializeDictionary(truncated));
  }
}
