import assert from "node:assert/strict";
import type { JobChange } from "../../src/jobs/job.ts";
import { hasEnded, type Known } from "./known-jobs.ts";
import { accounts, type Machine } from "./machine.ts";

/** Resumes after any failure. */
export type Follower = {
  connect(): Promise<void>;
  read(max: number): Promise<void>;
  die(): void;
  check(known: Known): Promise<void>;
};

export function createFollowers(machine: Machine): Follower[] {
  return accounts.map((accountId) => createFollower(machine, accountId));
}

function createFollower(machine: Machine, accountId: string): Follower {
  const seen = new Map<string, JobChange>();
  let last = 0;
  let startNumber = 0;
  let connection = new AbortController();
  let changes: AsyncIterator<JobChange> | null = null;
  let isAwaited = false;
  let arrived: IteratorResult<JobChange> | null = null;
  let error: unknown = null;

  async function connect(): Promise<void> {
    if (changes !== null && startNumber === machine.starts) return;
    die();
    connection = new AbortController();
    startNumber = machine.starts;
    const { signal } = connection;
    const connected = await machine.queue.changes(accountId, last, signal);
    changes = connected[Symbol.asyncIterator]();
  }

  function die(): void {
    connection.abort();
    changes = null;
    isAwaited = false;
    arrived = null;
  }

  async function next(): Promise<JobChange | null> {
    const reading = changes;
    if (reading === null) return null;
    if (!isAwaited) {
      isAwaited = true;
      reading.next().then(
        (result) => {
          if (reading === changes) arrived = result;
        },
        (thrown) => {
          error = thrown;
        },
      );
    }
    await machine.settle();
    if (error !== null) throw error;
    if (arrived === null) return null;
    const { value, done } = arrived;
    arrived = null;
    isAwaited = false;
    assert(!done, "the changes ended");
    return value;
  }

  async function read(max: number): Promise<void> {
    for (let count = 0; count < max; count += 1) {
      const change = await next();
      if (change === null) return;
      const { id, uuid, state } = change;
      const before = seen.get(uuid);
      assert(id > last, `change ${id} after ${last}`);
      assert(
        before === undefined || !hasEnded(before.state) || state === "expired",
        `${state} after ${before?.state}`,
      );
      last = id;
      seen.set(uuid, change);
    }
  }

  async function check(known: Known): Promise<void> {
    await connect();
    await read(Number.POSITIVE_INFINITY);
    const ownUuids = new Set(
      known.jobs.filter((job) => job.accountId === accountId).map(({ uuid }) => uuid),
    );
    for (const uuid of seen.keys())
      assert(ownUuids.has(uuid), `another account's job ${uuid} was seen`);
    for (const job of known.jobs) {
      if (job.accountId !== accountId || job.isForgotten) continue;
      const stored = await machine.queue.find(accountId, job.uuid);
      const { state, attempts } = seen.get(job.uuid) ?? {};
      // Expiry is visible before the next sweep reports it.
      const isSwept = !(stored?.state === "expired" && state === "done");
      if (isSwept) assert.deepEqual([state, attempts], [stored?.state, stored?.attempts]);
    }
  }

  return { connect, read, die, check };
}
