import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { Idempotency, SubmittedJob } from "../../jobs/submissions/submission.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import type { Submission } from "../schemas/submission.ts";
import { requireMethod } from "./allowed-method.ts";
import { checkArguments, type PathRules } from "./checked-arguments.ts";
import { newJobOf } from "./new-job.ts";
import { takeSearch } from "./search-permit.ts";

export type Submissions = {
  /**
   * Resolves once the job is on disk. Checks in order: body, methods of the key, query, idempotency key, searches per minute.
   * Refusals and replays are not counted.
   */
  submit(
    caller: Caller,
    path: SearchPlatform,
    body: Submission,
    rules: PathRules,
    reply: FastifyReply,
    idempotency?: Idempotency | null,
  ): Promise<SubmittedJob>;
};

export function createSearchSubmissions(context: HttpContext): Submissions {
  async function submit(
    caller: Caller,
    path: SearchPlatform,
    body: Submission,
    rules: PathRules,
    reply: FastifyReply,
    idempotency: Idempotency | null = null,
  ): Promise<SubmittedJob> {
    const args = checkArguments(path, body, rules);
    // A flat body names no method.
    requireMethod(caller, args.method, body.at === "" ? null : `${body.at}/type`);
    const job = await newJobOf(context, caller, args);
    const newJob = { ...job, idempotency };
    const earlier =
      idempotency === null ? null : await context.jobs.replayOf(caller.accountId, idempotency);
    if (earlier !== null) return replayed(reply, { isReplay: true, ...earlier });
    const turn = await takeSearch(context, caller, reply);
    try {
      const submitted = await context.jobs.submit(newJob);
      if (submitted.isReplay) {
        await turn.giveBack();
        return replayed(reply, submitted);
      }
      context.metrics.submissions.inc({ method: newJob.request.method });
      return submitted;
    } catch (error) {
      await turn.giveBack();
      throw error;
    }
  }

  return { submit };
}

function replayed(reply: FastifyReply, earlier: SubmittedJob): SubmittedJob {
  reply.header("idempotent-replayed", "true");
  return earlier;
}
