import type { Job, JobChange, JobState } from "../../jobs/job.ts";
import type { HttpContext } from "../context.ts";
import { iso } from "../submission/window.ts";
import type { StreamedEvent } from "./event-stream.ts";

export async function* streamAccountEvents(
  changes: AsyncIterable<JobChange>,
): AsyncGenerator<StreamedEvent> {
  for await (const change of changes) yield makeEvent(change, change.id);
}

/** Yields the current state, without an ID, then changes until the job ends. */
export async function* streamJobEvents(
  jobs: Pick<HttpContext["jobs"], "find">,
  accountChanges: AsyncIterable<JobChange>,
  accountId: string,
  uuid: string,
): AsyncGenerator<StreamedEvent> {
  const changes = accountChanges[Symbol.asyncIterator]();
  let nextChange = nextOf(changes);
  const job = await jobs.find(accountId, uuid);
  if (job === null) return;
  let lastProgress: Progress = job;
  yield makeEvent({ ...job, atMs: lastChangeMs(job) }, null);
  while (!hasEnded(lastProgress.state)) {
    const { done, value: change } = await nextChange;
    if (done) return;
    nextChange = nextOf(changes);
    if (change.uuid !== uuid || !isLater(change, lastProgress)) continue;
    lastProgress = change;
    yield makeEvent(change, change.id);
  }
}

type Progress = Pick<Job, "state" | "attempts">;

/** An unreadable change ends the stream. */
function nextOf(changes: AsyncIterator<JobChange>): Promise<IteratorResult<JobChange>> {
  return changes.next().catch(() => ({ done: true, value: undefined }));
}

const ranks = {
  received: 0,
  "in progress": 1,
  "error(retrying)": 2,
  done: 3,
  error: 3,
  cancelled: 3,
  expired: 4,
} as const satisfies Record<JobState, number>;

const hasEnded = (state: JobState): boolean => ranks[state] >= ranks.done;

function isLater(next: Progress, current: Progress): boolean {
  if (next.attempts !== current.attempts) return next.attempts > current.attempts;
  return ranks[next.state] > ranks[current.state];
}

function lastChangeMs({ finishedMs, startedMs, submittedMs }: Job): number {
  return finishedMs ?? startedMs ?? submittedMs;
}

function makeEvent(
  { uuid, state, attempts, atMs }: Omit<JobChange, "id">,
  id: number | null,
): StreamedEvent {
  return { id, event: "job", data: { uuid, status: state, attempts, at: iso(atMs) } };
}
