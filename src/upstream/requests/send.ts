import { backoffMs } from "../../lib/backoff.ts";
import {
  asRequestError,
  jobDeadlineExceeded,
  possiblyBilled,
} from "../../platforms/request-errors.ts";
import type { UpstreamResponse } from "../../platforms/session.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import { type RequestResult, readOutcome, reportFailedRequest } from "./outcome.ts";
import type { OutgoingRequest, SendContext } from "./outgoing-request.ts";
import type { UpstreamJob } from "./sessions.ts";

/** Waits for a permit, and retries temporary errors within the job's time. */
export async function sendRequest(
  context: SendContext,
  request: OutgoingRequest,
): Promise<UpstreamResponse> {
  const { clock } = context;
  const { url, job } = request;
  const remainingMs = job.deadlineMs - clock.now();
  if (remainingMs <= 0) throw jobDeadlineExceeded(url.host);
  const timeout = new AbortController();
  const timerAbort = new AbortController();
  clock.sleep(remainingMs, timerAbort.signal).then(
    () => timeout.abort(jobDeadlineExceeded(url.host)),
    () => undefined,
  );
  try {
    return await sendUntil(context, request, AbortSignal.any([job.signal, timeout.signal]));
  } finally {
    timerAbort.abort(requestEnded);
  }
}

/** Shared, because an abort without a reason creates an exception each time. */
const requestEnded = new Error("the request ended");

async function sendUntil(
  context: SendContext,
  request: OutgoingRequest,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const { clock, random, tries, retryPauses } = context;
  const { url, job, paid, patience } = request;
  const progress: Progress = { isSent: false, mayBeBilled: false };
  try {
    for (let failures = 0; ; ) {
      const outcome = await tryOnce(context, request, { signal, progress });
      if (outcome.kind === "answer") {
        if (outcome.answer.status < 400 || progress.mayBeBilled) paid?.markBilled();
        else paid?.markUnbilled();
        return outcome.answer;
      }
      if (outcome.kind === "limited") {
        if (patience === "patient") continue;
        throw new UpstreamLimited(url.host, outcome.untilMs);
      }
      progress.mayBeBilled ||= outcome.mayBeBilled;
      if (paid !== null && outcome.mayBeBilled) throw possiblyBilled(outcome.error);
      failures += 1;
      if (!outcome.isTemporary || failures >= tries) throw outcome.error;
      const pauseMs = Math.max(
        outcome.requestedPauseMs,
        backoffMs(failures - 1, retryPauses, random),
      );
      if (clock.now() + pauseMs >= job.deadlineMs) throw outcome.error;
      await clock.sleep(pauseMs, signal);
    }
  } catch (thrown) {
    if (!progress.mayBeBilled && !progress.isSent) paid?.markUnbilled();
    // After an abort the reservation stays, so that another node's retry finds it.
    else if (!job.signal.aborted) paid?.markBilled();
    throw thrown;
  }
}

type Progress = { isSent: boolean; mayBeBilled: boolean };

const waitEndMs = ({ deadlineMs, maxWaitMs }: UpstreamJob, nowMs: number): number =>
  maxWaitMs === undefined ? deadlineMs : Math.min(deadlineMs, nowMs + maxWaitMs);

async function tryOnce(
  context: SendContext,
  request: OutgoingRequest,
  { signal, progress }: { signal: AbortSignal; progress: Progress },
): Promise<RequestResult> {
  const { limits, clock } = context;
  const { url, bucket, access, paid, patience, job, intervalMs } = request;
  const permit = await limits.take({
    owner: access.findOwner(url),
    bucket,
    host: url.host,
    patience,
    intervalMs,
    deadlineMs: waitEndMs(job, clock.now()),
    // `maxWaitMs` does not apply to intervals, which are short.
    intervalDeadlineMs: job.deadlineMs,
    signal,
  });
  try {
    await paid?.reserve();
    signal.throwIfAborted();
  } catch (thrown) {
    permit.endUnused();
    throw thrown;
  }
  progress.isSent = true;
  try {
    const headers = { accept: "application/json", ...request.headers };
    const response = await access.send({ url, headers, signal });
    const outcome = await readOutcome(context, request, permit, response);
    progress.isSent = false;
    return outcome;
  } catch (thrown) {
    signal.throwIfAborted();
    progress.isSent = false;
    return reportFailedRequest(context, asRequestError(url.host, thrown));
  } finally {
    permit.endWithoutResponse();
  }
}
