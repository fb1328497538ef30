import { finished } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { Job } from "../../jobs/job.ts";
import type { SubmittedJob } from "../../jobs/submissions/submission.ts";
import { pauseIdleTimeout } from "../connections/idle-time.ts";
import { serverStoppingError } from "../connections/open-connections.ts";
import type { HttpContext } from "../context.ts";
import type { CallerWatch } from "../middleware/ended-caller.ts";
import { rateLimitedProblem } from "../problems/rate-limited.ts";
import { problem } from "../problems/write-problem.ts";

/**
 * At most EARSHOT_MAX_WAITING_REQUESTS per key. They end on shutdown and with the caller's key or
 * session.
 */
export type PendingRequests = {
  /** Null if the job is unknown. */
  waitForJob(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null>;
  /** `Preference-Applied` reports whether it waited. */
  waitAsPreferred(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null>;
  /**
   * Errors: those of `submit`; `rate_limited` at the key's limit, before the submission;
   * `result_expired` if an earlier submission's job has been deleted; `deadline_exceeded`;
   * `stopping` on shutdown.
   */
  submitAndWait(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job>;
  /**
   * The job continues after the wait. Errors: those of `submitAndWait` except `deadline_exceeded`
   * and `stopping`.
   */
  submitAndWaitAtMost(
    caller: Caller,
    reply: FastifyReply,
    waitSeconds: number,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job>;
  /**
   * Aborts on shutdown, on disconnection, at the end of the key, or after `timeoutMs`. Errors:
   * `rate_limited`.
   */
  openStream(caller: Caller, reply: FastifyReply, timeoutMs: number): AbortSignal;
  /** Aborts when the node disconnects or on shutdown. Does not count against a key's limit. */
  openForNode(reply: FastifyReply): AbortSignal;
};

/** Deadlines are checked every second, and the end must then reach the disk. */
const watchMs = 3_000;

/** Shared: an abort without a reason creates an exception each time. */
const requestEnded = new Error("the server is stopping, or no request is pending");

export function createPendingRequests(
  context: HttpContext,
  callers: Pick<CallerWatch, "watch">,
  shutdownSignal: AbortSignal,
): PendingRequests {
  const { settings, clock, jobs, metrics } = context;
  const pendingByKey = new Map<string, number>();
  // One listener for all: a signal per request would cost more than the wait.
  const endCallbacks = new Set<() => void>();
  shutdownSignal.addEventListener("abort", () => {
    for (const end of [...endCallbacks]) end();
  });

  function hasRoom({ keyId }: Caller): boolean {
    return (pendingByKey.get(keyId) ?? 0) < settings.maxWaitingRequests;
  }

  /** Counts the request until the returned function is called. */
  function countPending({ keyId }: Caller, end: () => void): () => void {
    pendingByKey.set(keyId, (pendingByKey.get(keyId) ?? 0) + 1);
    metrics.waitingRequests.inc();
    endCallbacks.add(end);
    return () => {
      endCallbacks.delete(end);
      metrics.waitingRequests.dec();
      const pendingCount = (pendingByKey.get(keyId) ?? 1) - 1;
      if (pendingCount === 0) pendingByKey.delete(keyId);
      else pendingByKey.set(keyId, pendingCount);
    };
  }

  async function trackWait<Value>(
    caller: Caller,
    reply: FastifyReply,
    wait: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const end = () => controller.abort(requestEnded);
    const release = countPending(caller, end);
    // If the key or session ends, the answer is 401 (ended-caller.ts).
    const unwatch = callers.watch(caller, end);
    const resumeIdleTimeout = pauseIdleTimeout(reply.raw, settings.idleTimeoutMs);
    reply.raw.once("close", end);
    if (reply.raw.destroyed) end();
    try {
      return await wait(controller.signal);
    } finally {
      reply.raw.off("close", end);
      resumeIdleTimeout();
      unwatch();
      release();
      // The key or session may have ended: force another check.
      reply.request.admittedAtMs = Number.NEGATIVE_INFINITY;
    }
  }

  async function waitForJob(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null> {
    const { accountId } = caller;
    const canWait = () => waitSeconds > 0 && hasRoom(caller) && !shutdownSignal.aborted;
    if (!canWait() || !jobs.isUnfinished(accountId, uuid)) {
      const job = await jobs.find(accountId, uuid);
      // Another gateway may just have accepted the job.
      const isUnfinished = job !== null && job.finishedMs === null;
      if (!isUnfinished || !canWait()) return job;
    }
    return await trackWait(caller, reply, (signal) =>
      jobs.waitForEnd(accountId, uuid, waitSeconds * 1000, signal),
    );
  }

  async function waitAsPreferred(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null> {
    const hadRoom = hasRoom(caller) || !jobs.isUnfinished(caller.accountId, uuid);
    const job = await waitForJob(caller, uuid, waitSeconds, reply);
    if (waitSeconds > 0 && hadRoom && job !== null && !shutdownSignal.aborted) {
      reply.header("preference-applied", `wait=${waitSeconds}`);
    }
    return job;
  }

  async function waitForSubmitted(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<SubmittedJob>,
    wait: (submitted: Job, signal: AbortSignal) => Promise<Job>,
  ): Promise<Job> {
    if (!hasRoom(caller)) throw tooManyPending(reply);
    const { request } = reply;
    const { admittedAtMs } = request;
    let isEnded = false;
    const endedJob = await trackWait(caller, reply, async (signal) => {
      const { job } = await submit();
      if (job === null) throw jobExpired();
      isEnded = job.finishedMs !== null;
      return isEnded ? job : await wait(job, signal);
    });
    // If there was no wait, the caller's last check is recent enough.
    if (isEnded) request.admittedAtMs = admittedAtMs;
    return endedJob;
  }

  async function submitAndWait(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job> {
    return await waitForSubmitted(caller, reply, submit, async (submitted, signal) => {
      // Ignores this process's clock: job times may be a database's.
      const lifetimeMs = submitted.deadlineMs - submitted.submittedMs;
      const waitMs = lifetimeMs + settings.deadlineGraceMs + watchMs;
      const job = await jobs.waitForEnd(caller.accountId, submitted.uuid, waitMs, signal);
      if (job !== null && job.finishedMs !== null) return job;
      if (shutdownSignal.aborted) throw serverStoppingError();
      throw problem("deadline_exceeded", "the search timed out");
    });
  }

  async function submitAndWaitAtMost(
    caller: Caller,
    reply: FastifyReply,
    waitSeconds: number,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job> {
    return await waitForSubmitted(caller, reply, submit, async (submitted, signal) => {
      const { accountId, uuid } = submitted;
      return (await jobs.waitForEnd(accountId, uuid, waitSeconds * 1000, signal)) ?? submitted;
    });
  }

  function openStream(caller: Caller, reply: FastifyReply, timeoutMs: number): AbortSignal {
    if (!hasRoom(caller)) throw tooManyPending(reply);
    const controller = new AbortController();
    const { raw } = reply;
    const end = () => {
      controller.abort(requestEnded);
      // Otherwise, a client that does not read would keep its connection forever.
      if (raw.writableNeedDrain) raw.destroy();
    };
    const release = countPending(caller, end);
    const unwatch = callers.watch(caller, end);
    finished(raw, () => {
      release();
      unwatch();
      end();
    });
    clock.sleep(timeoutMs, controller.signal).then(end, () => undefined);
    if (shutdownSignal.aborted) end();
    return controller.signal;
  }

  function openForNode({ raw }: FastifyReply): AbortSignal {
    const controller = new AbortController();
    const end = () => controller.abort(requestEnded);
    endCallbacks.add(end);
    metrics.waitingRequests.inc();
    const resumeIdleTimeout = pauseIdleTimeout(raw, settings.idleTimeoutMs);
    finished(raw, () => {
      resumeIdleTimeout();
      endCallbacks.delete(end);
      metrics.waitingRequests.dec();
      end();
    });
    if (shutdownSignal.aborted || raw.destroyed) end();
    return controller.signal;
  }

  function tooManyPending(reply: FastifyReply) {
    return rateLimitedProblem(context, reply, { policy: "waiting", retryAfterMs: 1_000 });
  }

  return {
    waitForJob,
    waitAsPreferred,
    submitAndWait,
    submitAndWaitAtMost,
    openStream,
    openForNode,
  };
}

function jobExpired() {
  return problem("result_expired", "the job for this Idempotency-Key is no longer stored", {
    hint: "submit the search again with another Idempotency-Key",
  });
}
