import type { FastifyReply } from "fastify";
import type { Job, JobResult } from "../jobs/job.ts";
import type { HttpContext } from "./context.ts";
import { cursorOf } from "./next-cursor.ts";
import { coverageField } from "./status-body.ts";

/** What every answer with posts tells in its header: what the window's coverage is, and where to go on when there is more. */
export function setResultFields(
  context: Pick<HttpContext, "cursorKey">,
  reply: FastifyReply,
  job: Job,
  result: JobResult,
): void {
  const cursor = cursorOf(context, job);
  if (cursor !== null) reply.header("x-next-cursor", cursor);
  reply.header("x-coverage", coverageField(result.complete, result.coverage));
}
