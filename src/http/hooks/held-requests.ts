import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { Job } from "../../jobs/job.ts";
import { clientGone } from "../client-gone.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problem-writer.ts";
import { refusedByRate } from "../refused-by-rate.ts";

/** Requests that wait for the end of a job; a key may have so many open as EARSHOT_MAX_HELD_REQUESTS says. */
export type HeldRequests = {
  /**
   * The caller's job after it ended or `waitSeconds` have passed, whichever is first; null when there is no such job. A
   * request beyond the key's number of held ones is answered at once, and so are all when the server stops.
   */
  waitForJob(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null>;
  /**
   * Submits a job and resolves with it after it has ended. Errors: those of `submit`; `rate_limited`, with nothing submitted,
   * beyond the key's number of held requests; `unavailable` when the server stops first.
   */
  submitAndWait(caller: Caller, reply: FastifyReply, submit: () => Promise<Job>): Promise<Job>;
};

/** The watch over deadlines looks once a second, and what it ends has to reach the disk. */
const watchMs = 3_000;

export function createHeldRequests(context: HttpContext, stopping: AbortSignal): HeldRequests {
  const { settings, clock, jobs, metrics } = context;
  const held = new Map<string, number>();

  function mayHold({ keyId }: Caller): boolean {
    return (held.get(keyId) ?? 0) < settings.maxHeldRequests;
  }

  async function hold<Value>({ keyId }: Caller, wait: () => Promise<Value>): Promise<Value> {
    held.set(keyId, (held.get(keyId) ?? 0) + 1);
    metrics.heldRequests.inc();
    try {
      return await wait();
    } finally {
      metrics.heldRequests.dec();
      const left = (held.get(keyId) ?? 1) - 1;
      if (left === 0) held.delete(keyId);
      else held.set(keyId, left);
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
    const ends = AbortSignal.any([stopping, clientGone(reply)]);
    return await hold(caller, () => jobs.waitForEnd(accountId, uuid, waitSeconds * 1000, ends));
  }

  async function submitAndWait(
    caller: Caller,
    reply: FastifyReply,
    submit: () => Promise<Job>,
  ): Promise<Job> {
    if (!mayHold(caller)) {
      throw refusedByRate(context, reply, { policy: "held", retryAfterMs: 1_000 });
    }
    const ends = AbortSignal.any([stopping, clientGone(reply)]);
    return await hold(caller, async () => {
      const submitted = await submit();
      const endMs = submitted.deadlineMs + settings.deadlineGraceMs + watchMs;
      const waitMs = Math.max(0, endMs - clock.now());
      const job = await jobs.waitForEnd(caller.accountId, submitted.uuid, waitMs, ends);
      if (job !== null && job.finishedMs !== null) return job;
      if (stopping.aborted) throw problem("unavailable", "the server stops; search again");
      throw problem("deadline_exceeded", "the search has not ended in time");
    });
  }

  return { waitForJob, submitAndWait };
}
