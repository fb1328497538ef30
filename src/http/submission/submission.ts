import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { SubmissionDecision } from "../../accounts/limiter.ts";
import type {
  Idempotency,
  PendingAdmission,
  SubmittedJob,
} from "../../jobs/submissions/submission.ts";
import { isSearch, type Method, searchMethods } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { recordAdmission, requireCaller } from "../middleware/caller.ts";
import { rateLimitedProblem } from "../problems/rate-limited.ts";
import { problem } from "../problems/write-problem.ts";
import type { Submission } from "../schemas/submission.ts";
import { invalidRequest } from "../schemas/validation.ts";
import { checkArguments, type PathRules } from "./checked-arguments.ts";
import { makeNewJob } from "./new-job.ts";

export type Submissions = {
  /**
   * Resolves once the job is on disk. Checks in this order: body, methods of the key, query,
   * idempotency key, searches per minute. Rejected and repeated submissions are not counted.
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
    const earlierJob =
      idempotency === null ? null : await context.jobs.findEarlier(caller.accountId, idempotency);
    if (earlierJob !== null) return markReplayed(reply, { isRepeated: true, ...earlierJob });
    const permit = createSearchPermit(context, reply);
    const admission = submissionAdmission(context, request, permit, checkMethod);
    if (admission === null) await permit.take();
    try {
      const submittedJob = await context.jobs.submit(newJob, admission);
      if (submittedJob.isRepeated) {
        await permit.refund();
        return markReplayed(reply, submittedJob);
      }
      context.metrics.submissions.inc({ method: newJob.request.method });
      return submittedJob;
    } catch (error) {
      await permit.refund();
      throw error;
    }
  }

  return { submit };
}

/** Fetch jobs may send requests to a platform first, and the key's methods may have changed. */
const canAdmitWithSearch = (method: Method, { methods }: Caller): boolean =>
  isSearch(method) && (methods === null || methods.includes(method));

function markReplayed(reply: FastifyReply, earlierJob: SubmittedJob): SubmittedJob {
  reply.header("idempotent-replayed", "true");
  return earlierJob;
}

/**
 * Null if the request has already been admitted. `check` verifies a newly admitted caller, such as
 * its methods.
 */
function submissionAdmission(
  { limiter, clock }: Pick<HttpContext, "limiter" | "clock">,
  request: FastifyRequest,
  permit: SearchPermit,
  check: () => void,
): PendingAdmission | null {
  const pendingAdmission = request.pendingAdmission;
  if (pendingAdmission === null) return null;

  const write: PendingAdmission["write"] = async (search) => {
    // If the store fails, the caller is unknown, and another call would only wait again.
    request.pendingAdmission = null;
    request.caller = null;
    const { admission, submitted } = await limiter.admitSearch(
      pendingAdmission.recalledAdmission,
      search,
    );
    if (admission === null) {
      request.pendingAdmission = pendingAdmission;
      request.caller = pendingAdmission.recalledAdmission.caller;
      return submitted;
    }
    recordAdmission(request, admission, clock.elapsed());
    // The job has used the counted search.
    if (submitted !== null) request.countedSearch = null;
    return submitted;
  };

  return {
    write,
    admit: async () => {
      await request.pendingAdmission?.admit();
      check();
      await permit.take();
    },
  };
}

type SearchPermit = {
  /** Errors: `rate_limited`, those of the store. */
  take(): Promise<void>;
  refund(): Promise<void>;
};

export function createSearchPermit(
  context: Pick<HttpContext, "limiter" | "metrics">,
  reply: FastifyReply,
): SearchPermit {
  const { request } = reply;
  let decision: SubmissionDecision | null = null;
  return {
    take: async () => {
      decision =
        request.countedSearch ?? (await context.limiter.takeSubmission(requireCaller(request)));
      request.countedSearch = null;
      request.limits = decision.limits;
      if (!decision.allowed) throw rateLimitedProblem(context, reply, decision);
    },
    refund: async () => {
      request.limits = (await decision?.refund()) ?? request.limits;
    },
  };
}

/** `pointer` is null if the body names no method. Errors: `method_forbidden`. */
function requireMethod(
  caller: Pick<Caller, "methods">,
  method: Method,
  pointer: string | null,
): void {
  const { methods } = caller;
  if (methods === null || methods.includes(method)) return;
  throw methodForbidden(methods, method, pointer);
}

/** A count needs a search method. Errors: `method_forbidden`. */
export function requireCounts(caller: Caller): void {
  const { methods } = caller;
  if (methods === null || searchMethods.some((method) => methods.includes(method))) return;
  throw methodForbidden(methods, searchMethods.join(" or "), null);
}

function methodForbidden(methods: readonly Method[], methodText: string, pointer: string | null) {
  const allowedMethods = methods.join(" or ");
  return problem("method_forbidden", `the key does not allow ${methodText}`, {
    hint: `use ${allowedMethods}, use another key, or change the methods of this one on the Keys page`,
    details: [
      {
        code: "method_forbidden",
        message: `the key does not allow ${methodText}`,
        ...(pointer === null ? {} : { pointer }),
        expected: methods,
      },
    ],
  });
}

/**
 * The hash is independent of the order of members. Null without an idempotency key. Errors:
 * `invalid_request`.
 */
export function readIdempotency(
  headers: IncomingHttpHeaders,
  request: unknown,
): Idempotency | null {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidKey();
  return { key, requestHash: createHash("sha256").update(canonicalJson(request)).digest() };
}

export const idempotentRequest = (platform: SearchPlatform, body: Submission) => ({
  platform,
  body: { type: body.type, arguments: body.arguments },
});

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byName([firstName]: [string, unknown], [secondName]: [string, unknown]): number {
  return firstName < secondName ? -1 : 1;
}

function invalidKey() {
  return invalidRequest([
    {
      code: "invalid_value",
      message: "expected 1 to 255 printable ASCII characters",
      hint: "send a new UUID with each search, and the same one to repeat it",
      pointer: "/idempotency-key",
    },
  ]);
}
