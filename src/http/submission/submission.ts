import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { Idempotency, SubmittedJob } from "../../jobs/submissions/submission.ts";
import { isSearch, type Method } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { requireCaller } from "../middleware/caller.ts";
import type { Submission } from "../schemas/submission.ts";
import { requireMethod } from "./allowed-method.ts";
import { checkArguments, type PathRules } from "./checked-arguments.ts";
import { makeNewJob } from "./new-job.ts";
import { createSearchPermit } from "./search-permit.ts";
import { submissionAdmission } from "./submission-admission.ts";

export type Submissions = {
  /**
   * Resolves once the job is on disk. Checks in order: body, methods of the key, query, idempotency key, searches per minute.
   * Refusals and replays are not counted.
   */
  submit(
    path: SearchPlatform,
    body: Submission,
    rules: PathRules,
    reply: FastifyReply,
    idempotency?: Idempotency | null,
  ): Promise<SubmittedJob>;
};

export function createSearchSubmissions(context: HttpContext): Submissions {
  async function submit(
    path: SearchPlatform,
    body: Submission,
    rules: PathRules,
    reply: FastifyReply,
    idempotency: Idempotency | null = null,
  ): Promise<SubmittedJob> {
    const { request } = reply;
    const args = checkArguments(path, body, rules);
    if (!canAdmitWithSearch(args.method, requireCaller(request)))
      await request.pendingAdmission?.admit();
    // A flat body names no method.
    const pointer = body.argumentsPointer === "" ? null : `${body.argumentsPointer}/type`;
    const checkMethod = () => requireMethod(requireCaller(request), args.method, pointer);
    checkMethod();
    const caller = requireCaller(request);
    const job = await makeNewJob(context, caller, args);
    const newJob = { ...job, idempotency };
    const earlier =
      idempotency === null ? null : await context.jobs.findEarlier(caller.accountId, idempotency);
    if (earlier !== null) return markReplayed(reply, { isRepeated: true, ...earlier });
    const permit = createSearchPermit(context, reply);
    const admission = submissionAdmission(context, request, permit, checkMethod);
    if (admission === null) await permit.take();
    try {
      const submitted = await context.jobs.submit(newJob, admission);
      if (submitted.isRepeated) {
        await permit.refund();
        return markReplayed(reply, submitted);
      }
      context.metrics.submissions.inc({ method: newJob.request.method });
      return submitted;
    } catch (error) {
      await permit.refund();
      throw error;
    }
  }

  return { submit };
}

/** Other jobs may request a platform first, and the key's methods may have changed. */
const canAdmitWithSearch = (method: Method, { methods }: Caller): boolean =>
  isSearch(method) && (methods === null || methods.includes(method));

function markReplayed(reply: FastifyReply, earlier: SubmittedJob): SubmittedJob {
  reply.header("idempotent-replayed", "true");
  return earlier;
}
