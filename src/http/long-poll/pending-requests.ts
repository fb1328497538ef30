import { finished } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { Job } from "../../jobs/job.ts";
import type { SubmittedJob } from "../../jobs/queue.ts";
import { stopIdleTime } from "../connections/idle-time.ts";
import { serverStops } from "../connections/shutdown.ts";
import type { HttpContext } from "../context.ts";
import type { CallerWatch } from "../middleware/caller-watch.ts";
import { refusedByRate } from "../problems/refused-by-rate.ts";
import { problem } from "../problems/write-problem.ts";

/**
 * Requests that stay open until something happens to a job; a key may have so many at a time as EARSHOT_MAX_HELD_REQUESTS
 * says. When the server stops, all of them end at once; when the caller's key or session ends, all of that caller's.
 */
export type PendingRequests = {
  /**
   * The caller's job after it ended or `waitSeconds` have passed, whichever is first; null when there is no such job. A
   * request beyond the key's number of held ones is answered at once.
   */
  waitForJob(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null>;
  /** The same for a wait that the client prefers: `Preference-Applied` tells whether it was given. */
  waitAsPreferred(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null>;
  /**
   * Submits a job and resolves with it after it has ended. Errors: those of `submit`; `rate_limited`, with nothing submitted,
   * beyond the key's number of held requests; `result_expired` when an earlier submission's job is forgotten; `unavailable`
   * when the server stops first.
   */
  submitAndWait(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job>;
  /**
   * Submits a job and resolves with it after it has ended, or as it stands when `waitSeconds` have passed or the server stops:
   * it goes on. Errors: those of `submitAndWait` but for `unavailable`.
   */
  submitAndWaitAtMost(
    caller: Caller,
    reply: FastifyReply,
    waitSeconds: number,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job>;
  /**
   * Counts an answer that is written bit by bit until it is closed. The signal says when to end it: the server stops, the
   * client has gone, its key has ended, or `longestMs` are over. Errors: `rate_limited`.
   */
  holdStream(caller: Caller, reply: FastifyReply, longestMs: number): AbortSignal;
  /** Of a node that waits for work: the signal says that it has gone, or that the server stops. No key is charged for it. */
  holdForNode(reply: FastifyReply): AbortSignal;
};

/** The watch over deadlines looks once a second, and what it ends has to reach the disk. */
const watchMs = 3_000;

/** Why a wait ends early; one for all, as an abort without a reason makes an exception each time. */
const over = new Error("the server stops, or nobody waits any more");

export function createPendingRequests(
  context: HttpContext,
  callers: Pick<CallerWatch, "watch">,
  stopping: AbortSignal,
): PendingRequests {
  const { settings, clock, jobs, metrics } = context;
  const heldByKey = new Map<string, number>();
  // One listener for all of them: a signal of its own for each costs more than the wait itself.
  const ends = new Set<() => void>();
  stopping.addEventListener("abort", () => {
    for (const end of [...ends]) end();
  });

  function mayHold({ keyId }: Caller): boolean {
    return (heldByKey.get(keyId) ?? 0) < settings.maxHeldRequests;
  }

  /** Counts a request as held until the function that it returns is called. */
  function count({ keyId }: Caller, end: () => void): () => void {
    heldByKey.set(keyId, (heldByKey.get(keyId) ?? 0) + 1);
    metrics.heldRequests.inc();
    ends.add(end);
    return () => {
      ends.delete(end);
      metrics.heldRequests.dec();
      const left = (heldByKey.get(keyId) ?? 1) - 1;
      if (left === 0) heldByKey.delete(keyId);
      else heldByKey.set(keyId, left);
    };
  }

  async function hold<Value>(
    caller: Caller,
    reply: FastifyReply,
    wait: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const end = () => controller.abort(over);
    const release = count(caller, end);
    // Whatever the wait comes to then, the answer is 401 (ended-caller.ts).
    const unwatch = callers.watch(caller, end);
    const startIdleTime = stopIdleTime(reply.raw, settings.idleTimeoutMs);
    reply.raw.once("close", end);
    if (reply.raw.destroyed) end();
    try {
      return await wait(controller.signal);
    } finally {
      reply.raw.off("close", end);
      startIdleTime();
      unwatch();
      release();
      // What ended the wait may have ended the caller too: it is looked up again, however short the wait was.
      reply.request.admittedMs = Number.NEGATIVE_INFINITY;
    }
  }

  async function waitForJob(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null> {
    const { accountId } = caller;
    const waits = waitSeconds > 0 && mayHold(caller) && jobs.isUnderWay(accountId, uuid);
    if (!waits || stopping.aborted) return await jobs.find(accountId, uuid);
    return await hold(caller, reply, (signal) =>
      jobs.waitForEnd(accountId, uuid, waitSeconds * 1000, signal),
    );
  }

  async function waitAsPreferred(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null> {
    const isGiven = mayHold(caller) || !jobs.isUnderWay(caller.accountId, uuid);
    const job = await waitForJob(caller, uuid, waitSeconds, reply);
    if (waitSeconds > 0 && isGiven && job !== null && !stopping.aborted) {
      reply.header("preference-applied", `wait=${waitSeconds}`);
    }
    return job;
  }

  /** Submits within a held request, which is refused before anything is submitted. */
  async function holdSubmitted(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<SubmittedJob>,
    wait: (submitted: Job, signal: AbortSignal) => Promise<Job>,
  ): Promise<Job> {
    if (!mayHold(caller)) throw tooManyHeld(reply);
    const { request } = reply;
    const { admittedMs } = request;
    let isEnded = false;
    const ended = await hold(caller, reply, async (signal) => {
      const { job } = await submit();
      if (job === null) throw forgotten();
      isEnded = job.finishedMs !== null;
      return isEnded ? job : await wait(job, signal);
    });
    // Without a wait the caller was looked up as lately as for any other submission.
    if (isEnded) request.admittedMs = admittedMs;
    return ended;
  }

  async function submitAndWait(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job> {
    return await holdSubmitted(caller, reply, submit, async (submitted, signal) => {
      const endMs = submitted.deadlineMs + settings.deadlineGraceMs + watchMs;
      const waitMs = Math.max(0, endMs - clock.now());
      const job = await jobs.waitForEnd(caller.accountId, submitted.uuid, waitMs, signal);
      if (job !== null && job.finishedMs !== null) return job;
      if (stopping.aborted) throw serverStops();
      throw problem("deadline_exceeded", "the search has not ended in time");
    });
  }

  async function submitAndWaitAtMost(
    caller: Caller,
    reply: FastifyReply,
    waitSeconds: number,
    submit: () => Promise<SubmittedJob>,
  ): Promise<Job> {
    return await holdSubmitted(caller, reply, submit, async (submitted, signal) => {
      const { accountId, uuid } = submitted;
      return (await jobs.waitForEnd(accountId, uuid, waitSeconds * 1000, signal)) ?? submitted;
    });
  }

  function holdStream(caller: Caller, reply: FastifyReply, longestMs: number): AbortSignal {
    if (!mayHold(caller)) throw tooManyHeld(reply);
    const controller = new AbortController();
    const { raw } = reply;
    const end = () => {
      controller.abort(over);
      // A client that does not read would keep what was written, and its connection, for ever.
      if (raw.writableNeedDrain) raw.destroy();
    };
    const release = count(caller, end);
    const unwatch = callers.watch(caller, end);
    finished(raw, () => {
      release();
      unwatch();
      end();
    });
    clock.sleep(longestMs, controller.signal).then(end, () => undefined);
    if (stopping.aborted) end();
    return controller.signal;
  }

  function holdForNode({ raw }: FastifyReply): AbortSignal {
    const controller = new AbortController();
    const end = () => controller.abort(over);
    ends.add(end);
    metrics.heldRequests.inc();
    const startIdleTime = stopIdleTime(raw, settings.idleTimeoutMs);
    finished(raw, () => {
      startIdleTime();
      ends.delete(end);
      metrics.heldRequests.dec();
      end();
    });
    if (stopping.aborted || raw.destroyed) end();
    return controller.signal;
  }

  function tooManyHeld(reply: FastifyReply) {
    return refusedByRate(context, reply, { policy: "held", retryAfterMs: 1_000 });
  }

  return {
    waitForJob,
    waitAsPreferred,
    submitAndWait,
    submitAndWaitAtMost,
    holdStream,
    holdForNode,
  };
}

function forgotten() {
  return problem("result_expired", "the job of this Idempotency-Key is no longer known", {
    hint: "submit the search again under another key",
  });
}
