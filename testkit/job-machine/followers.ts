import assert from "node:assert/strict";
import type { JobChange } from "../../src/jobs/job.ts";
import { hasEnded, type KnownState } from "./known-jobs.ts";
import { accounts, type Machine } from "./machine.ts";

/** Resumes after any failure. */
export type Follower = {
  connect(): Promise<void>;
  read(max: number): Promise<void>;
  die(): void;
  check(known: KnownState): Promise<void>;
};

export function createFollowers(machine: Machine): Follower[] {
  return accounts.map((accountId) => createFollower(machine, accountId));
}

function createFollower(machine: Machine, accountId: string): Follower {
  const lastChanges = new Map<string, JobChange>();
  let lastId = 0;
  let startNumber = 0;
  let connection = new AbortController();
  let changes: AsyncIterator<JobChange> | null = null;
  let isAwaited = false;
  let arrivedChange: IteratorResult<JobChange> | null = null;
  let error: unknown = null;

  async function connect(): Promise<void> {
    if (changes !== null && startNumber === machine.starts) return;
    die();
    connection = new AbortController();
    startNumber = machine.starts;
    const { signal } = connection;
    const stream = await machine.queue.changes(accountId, lastId, signal);
    changes = stream[Symbol.asyncIterator]();
  }

  function die(): void {
    connection.abort();
    changes = null;
    isAwaited = false;
    arrivedChange = null;
  }

  async function next(): Promise<JobChange | null> {
    const iterator = changes;
    if (iterator === null) return null;
    if (!isAwaited) {
      isAwaited = true;
      iterator.next().then(
        (result) => {
          if (iterator === changes) arrivedChange = result;
        },
        (thrown) => {
          error = thrown;
        },
      );
    }
    await machine.settle();
    if (error !== null) throw error;
    if (arrivedChange === null) return null;
    const { value, done } = arrivedChange;
    arrivedChange = null;
    isAwaited = false;
    assert(!done, "the changes ended");
    return value;
  }

  async function read(max: number): Promise<void> {
    for (let count = 0; count < max; count += 1) {
      const change = await next();
      if (change === null) return;
      const { id, uuid, state } = change;
      const previous = lastChanges.get(uuid);
      assert(id > lastId, `change ${id} after ${lastId}`);
      assert(
        previous === undefined || !hasEnded(previous.state) || state === "expired",
        `${state} after ${previous?.state}`,
      );
      lastId = id;
      lastChanges.set(uuid, change);
    }
  }

  async function check(known: KnownState): Promise<void> {
    await connect();
    await read(Number.POSITIVE_INFINITY);
    const ownUuids = new Set(
      known.jobs.filter((job) => job.accountId === accountId).map(({ uuid }) => uuid),
    );
    for (const uuid of lastChanges.keys())
      assert(ownUuids.has(uuid), `another account's job ${uuid} was seen`);
    for (const job of known.jobs) {
      if (job.accountId !== accountId || job.isForgotten) continue;
      const stored = await machine.queue.find(accountId, job.uuid);
      const { state, attempts } = lastChanges.get(job.uuid) ?? {};
      // Expiry is visible before the next sweep reports it.
      const isSwept = !(stored?.state === "expired" && state === "done");
      if (isSwept) assert.deepEqual([state, attempts], [stored?.state, stored?.attempts]);
    }
  }

  return { connect, read, die, check };
}
