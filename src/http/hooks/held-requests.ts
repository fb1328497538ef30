import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { Job } from "../../jobs/job.ts";
import type { HttpContext } from "../context.ts";
import { clientGone } from "./caller.ts";

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
  /** The caller's own fresh job after it ended, or as it stands when its time is over or the server stops. */
  waitToTheEnd(caller: Caller, job: Job, reply: FastifyReply): Promise<Job>;
};

export function createHeldRequests(context: HttpContext, stopping: AbortSignal): HeldRequests {
  const held = new Map<string, number>();

  async function waitForJob(
    caller: Caller,
    uuid: string,
    waitSeconds: number,
    reply: FastifyReply,
  ): Promise<Job | null> {
    const open = held.get(caller.keyId) ?? 0;
    const mayHold = waitSeconds > 0 && open < context.settings.maxHeldRequests && !stopping.aborted;
    if (!mayHold || !context.jobs.isUnderWay(caller.accountId, uuid)) {
      return await context.jobs.find(caller.accountId, uuid);
    }

    held.set(caller.keyId, open + 1);
    context.metrics.heldRequests.inc();
    const ends = AbortSignal.any([stopping, clientGone(reply)]);
    try {
      return await context.jobs.waitForEnd(caller.accountId, uuid, waitSeconds * 1000, ends);
    } finally {
      context.metrics.heldRequests.dec();
      const left = (held.get(caller.keyId) ?? 1) - 1;
      if (left === 0) held.delete(caller.keyId);
      else held.set(caller.keyId, left);
    }
  }

  async function waitToTheEnd(caller: Caller, job: Job, reply: FastifyReply): Promise<Job> {
    const ends = AbortSignal.any([stopping, clientGone(reply)]);
    const waitMs = Math.max(0, job.deadlineMs - context.clock.now());
    return (await context.jobs.waitForEnd(caller.accountId, job.uuid, waitMs, ends)) ?? job;
  }

  return { waitForJob, waitToTheEnd };
}

export function hasEnded(job: Job): boolean {
  return job.finishedMs !== null;
}
