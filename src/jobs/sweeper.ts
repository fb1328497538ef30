import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import type { Dispatcher, LiveJob } from "./dispatcher.ts";
import type { AttemptEnd, JobOperations } from "./operations.ts";
import type { JobSettings } from "./settings.ts";

/**
 * The watch over jobs, once a second: notes that the server runs, ends what has passed its deadline or whose lease has lapsed,
 * and now and then drops results and jobs whose time is over. Memory tells whether there is anything to do, so that a quiet
 * server writes nothing but its heartbeat.
 */
export type SweeperContext = {
  store: Store<JobOperations>;
  clock: Clock;
  settings: JobSettings;
  dispatcher: Dispatcher;
  /** What to do with a job whose lease has lapsed. */
  settleAttempt: (end: AttemptEnd) => void;
  /** What to do with a job whose deadline has passed. */
  endJob: (uuid: string, state: "error") => void;
  onFault?: (thrown: unknown) => void;
};

export type Sweeper = { start(): void; stop(): Promise<void> };

const beatMs = 1_000;
const beatsPerExpiry = 60;

export function createSweeper(context: SweeperContext): Sweeper {
  const { store, clock, settings, dispatcher } = context;
  const stopping = new AbortController();
  let watching: Promise<void> = Promise.resolve();

  async function watch(): Promise<void> {
    for (let beats = 0; !stopping.signal.aborted; beats += 1) {
      await sweep(beats % beatsPerExpiry === 0).catch((thrown) => context.onFault?.(thrown));
      await clock.sleep(beatMs, stopping.signal).catch(() => undefined);
    }
  }

  async function sweep(expiryIsDue: boolean): Promise<void> {
    await store.write("beat", { nowMs: clock.now() });
    await endLapsedLeases();
    await timeOut();
    if (expiryIsDue) await expire();
  }

  async function endLapsedLeases(): Promise<void> {
    const nowMs = clock.now();
    const { maxAttempts, retryDelayMs } = settings;
    const jobs = [...dispatcher.all()];
    if (!jobs.some((job) => isRunning(job) && job.leaseUntilMs <= nowMs)) return;
    const ends = await store.write("endLapsedLeases", { nowMs, maxAttempts, retryDelayMs });
    for (const end of ends) context.settleAttempt(end);
  }

  async function timeOut(): Promise<void> {
    const nowMs = clock.now();
    const graceMs = settings.deadlineGraceMs;
    const late = [...dispatcher.all()].filter((job) => job.deadlineMs <= nowMs);
    if (late.length === 0) return;
    for (const uuid of await store.write("timeOutJobs", { nowMs, graceMs })) {
      context.endJob(uuid, "error");
    }
    // Whatever the table says of them, no job lives longer.
    for (const job of late) if (job.deadlineMs + graceMs <= nowMs) dispatcher.end(job.uuid);
  }

  async function expire(): Promise<void> {
    const { retentionMs } = settings;
    let more = true;
    while (more && !stopping.signal.aborted) {
      more = await store.write("expireJobs", { nowMs: clock.now(), retentionMs });
    }
  }

  function start(): void {
    watching = watch();
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await watching;
    await store.write("beat", { nowMs: clock.now() }).catch((thrown) => context.onFault?.(thrown));
  }

  return { start, stop };
}

function isRunning(job: LiveJob): boolean {
  return job.phase === "leased" || job.phase === "ending";
}
