/** The responses to one account, and contradictions between them. */
export type JobLedger = {
  accepted: ReadonlyMap<string, number>;
  abandoned: ReadonlySet<string>;
  byKey: ReadonlyMap<string, ReadonlySet<string>>;
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

export function createJobLedger(expected: readonly string[]): JobLedger {
  const accepted = new Map<string, number>();
  const abandoned = new Set<string>();
  const byKey = new Map<string, Set<string>>();
  const lastStates = new Map<string, string>();
  const counts: Record<string, number> = {};
  const contradictions: string[] = [];
  const contradict = (what: string): void => {
    contradictions.push(what);
  };
  return {
    accepted,
    abandoned,
    byKey,
    counts,
    contradictions,
    count: (what) => {
      counts[what] = (counts[what] ?? 0) + 1;
    },
    contradict,
    accept: (uuid, search, idempotencyKey) => {
      const earlierSearch = accepted.get(uuid);
      if (earlierSearch !== undefined && idempotencyKey === null)
        contradict(`${uuid} was accepted twice`);
      if (earlierSearch !== undefined && earlierSearch !== search)
        contradict(`${uuid} has two searches`);
      accepted.set(uuid, search);
      if (idempotencyKey === null) return;
      const uuids = byKey.get(idempotencyKey) ?? new Set();
      byKey.set(idempotencyKey, uuids.add(uuid));
      if (uuids.size > 1) contradict(`${idempotencyKey} created ${[...uuids].join(" and ")}`);
    },
    abandon: (uuid) => {
      abandoned.add(uuid);
    },
    receive: (uuid, result) => {
      if (result === expected[accepted.get(uuid) ?? -1]) return;
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
