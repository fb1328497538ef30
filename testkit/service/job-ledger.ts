/** The responses to one account, and contradictions between them. */
export type JobLedger = {
  acceptedJobs: ReadonlyMap<string, number>;
  abandonedJobs: ReadonlySet<string>;
  jobsByKey: ReadonlyMap<string, ReadonlySet<string>>;
  counts: Record<string, number>;
  contradictions: readonly string[];
  count(what: string): void;
  contradict(what: string): void;
  accept(uuid: string, search: number, idempotencyKey: string | null): void;
  abandon(uuid: string): void;
  /** All results of a job, and of a search, must be equal. */
  receive(uuid: string, result: string): void;
  addState(uuid: string, state: string): void;
  lastState(uuid: string): string | undefined;
};

const finalStates = ["done", "error", "cancelled", "expired"];

export function createJobLedger(expectedResults: readonly string[]): JobLedger {
  const acceptedJobs = new Map<string, number>();
  const abandonedJobs = new Set<string>();
  const jobsByKey = new Map<string, Set<string>>();
  const lastStates = new Map<string, string>();
  const counts: Record<string, number> = {};
  const contradictions: string[] = [];
  const contradict = (what: string): void => {
    contradictions.push(what);
  };
  return {
    acceptedJobs,
    abandonedJobs,
    jobsByKey,
    counts,
    contradictions,
    count: (what) => {
      counts[what] = (counts[what] ?? 0) + 1;
    },
    contradict,
    accept: (uuid, search, idempotencyKey) => {
      const earlierSearch = acceptedJobs.get(uuid);
      if (earlierSearch !== undefined && idempotencyKey === null)
        contradict(`${uuid} was accepted twice`);
      if (earlierSearch !== undefined && earlierSearch !== search)
        contradict(`${uuid} has two searches`);
      acceptedJobs.set(uuid, search);
      if (idempotencyKey === null) return;
      const uuids = jobsByKey.get(idempotencyKey) ?? new Set();
      jobsByKey.set(idempotencyKey, uuids.add(uuid));
      if (uuids.size > 1) contradict(`${idempotencyKey} created ${[...uuids].join(" and ")}`);
    },
    abandon: (uuid) => {
      abandonedJobs.add(uuid);
    },
    receive: (uuid, result) => {
      if (result === expectedResults[acceptedJobs.get(uuid) ?? -1]) return;
      contradict(`${uuid} has the result ${result.slice(0, 200)}`);
    },
    addState: (uuid, state) => {
      const previous = lastStates.get(uuid) ?? "";
      if (finalStates.includes(previous) && previous !== state && state !== "expired") {
        contradict(`${uuid} was ${previous} and then ${state}`);
      }
      lastStates.set(uuid, state);
    },
    lastState: (uuid) => lastStates.get(uuid),
  };
}
