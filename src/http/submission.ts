import type { FastifyReply } from "fastify";
import type { Caller } from "../accounts/authenticate.ts";
import type { AskedBounds, SearchJobRequest } from "../jobs/job.ts";
import type { Idempotency, NewJob, SubmittedJob } from "../jobs/queue.ts";
import type { SearchPlatform, SourceWarning } from "../platforms/source.ts";
import { parseQuery } from "../query/parse.ts";
import { printQuery } from "../query/print.ts";
import type { Diagnostic } from "../query/tree.ts";
import { type CheckedArguments, checkArguments, type PathRules } from "./checked-arguments.ts";
import type { HttpContext } from "./context.ts";
import { continueFrom } from "./next-cursor.ts";
import { pointedAt } from "./pointed-at.ts";
import type { Submission } from "./schemas/submission.ts";
import { takeSearch } from "./search-turn.ts";
import { narrowWindow, type Window, windowOf, windowWarnings } from "./window.ts";

export type Submissions = {
  /**
   * Takes a submission: checks the body, then the query, then whether it was answered before under its idempotency key, then
   * the key's searches a minute, then commits. The job it resolves with is on disk. Whatever is refused or replayed costs
   * nothing of the searches a minute; a replay says so in `Idempotent-Replayed`.
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

export function createSubmissions(context: HttpContext): Submissions {
  async function submit(
    caller: Caller,
    path: SearchPlatform,
    body: Submission,
    rules: PathRules,
    reply: FastifyReply,
    idempotency: Idempotency | null = null,
  ): Promise<SubmittedJob> {
    const newJob = { ...jobOf(context, caller, checkArguments(path, body, rules)), idempotency };
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

function jobOf(context: HttpContext, caller: Caller, asked: CheckedArguments): NewJob {
  const { settings } = context;
  const { platform, type, method, query, maxResults, nextCursor } = asked;
  const isLive = method === "searchbyquery";
  const maxLength = isLive ? settings.maxLiveQueryLength : settings.maxArchiveQueryLength;
  const { tree, warnings } = parseQuery(query, { maxLength });

  const canonicalQuery = printQuery(tree);
  const scope = { accountId: caller.accountId, platform, type, method, canonicalQuery };
  const nowMs = context.clock.now();
  const start: Window & Pick<SearchJobRequest, "after" | "asOfMs"> & { asked: AskedBounds } =
    nextCursor === null
      ? {
          ...windowOf(method, nowMs, settings.liveWindowMs),
          asOfMs: nowMs,
          after: null,
          asked: asked.bounds,
        }
      : pointedAt("/arguments/next_cursor", () =>
          continueFrom(context, scope, nextCursor, asked.bounds),
        );
  const window = narrowWindow(start, asked.bounds);

  return {
    accountId: caller.accountId,
    keyId: caller.keyId,
    request: {
      platform,
      type,
      method,
      query,
      maxResults,
      ...window,
      asOfMs: start.asOfMs,
      after: start.after,
      asked: start.asked,
    },
    canonicalQuery,
    warnings: [
      ...warnings.map(warningOf),
      ...asked.warnings,
      ...windowWarnings(isLive ? start : { ...start, fromMs: null }, start.asked, tree),
      noCredential,
    ],
  };
}

/** What the parser remarks on a query, as answers tell it. */
export function warningOf({ code, message, offset, length, hint }: Diagnostic): SourceWarning {
  return { code, message, offset, length, ...(hint === undefined ? {} : { hint }) };
}

/** This server asks no upstream yet, whatever the type allows. */
const noCredential: SourceWarning = {
  code: "no_credential",
  message: "no platform credential is configured, the archive alone answers",
};
