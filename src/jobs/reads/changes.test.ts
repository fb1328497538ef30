import { afterEach, beforeEach, expect, test } from "vitest";
import type { JobChange } from "../job.ts";
import { failure, newJob, result, startTestQueue, type TestQueue } from "../test-jobs.ts";

let jobs: TestQueue;
let disconnected: AbortController;

beforeEach(async () => {
  jobs = await startTestQueue();
  disconnected = new AbortController();
});

afterEach(async () => {
  disconnected.abort();
  await jobs.close();
});

type Follower = {
  next(): Promise<JobChange | undefined>;
  take(count: number): Promise<JobChange[]>;
};

async function follow(after: number | null = null, accountId = "one"): Promise<Follower> {
  const { signal } = disconnected;
  const changes = (await jobs.queue.changes(accountId, after, signal))[Symbol.asyncIterator]();
  const next = async (): Promise<JobChange | undefined> => {
    const { value, done } = await changes.next();
    return done ? undefined : value;
  };
  const take = async (count: number): Promise<JobChange[]> => {
    const received: JobChange[] = [];
    while (received.length < count) {
      const change = await next();
      if (change === undefined) throw new Error("the changes ended");
      received.push(change);
    }
    return received;
  };
  return { next, take };
}

const listStates = (changes: readonly JobChange[]) =>
  changes.map(({ uuid, state, attempts }) => [uuid, state, attempts]);

test("a change reader sees its jobs' states, numbered and in order", async () => {
  const follower = await follow();
  const uuid = await jobs.complete();
  const startMs = jobs.clock.now();
  const changes = await follower.take(3);
  expect(changes).toEqual([
    { id: 1, uuid, state: "received", attempts: 0, atMs: startMs },
    { id: 2, uuid, state: "in progress", attempts: 1, atMs: startMs },
    { id: 3, uuid, state: "done", attempts: 1, atMs: startMs },
  ]);
});

test("changes of another account's jobs are neither visible nor numbered", async () => {
  const follower = await follow(null, "two");
  await jobs.complete();
  const { uuid } = await jobs.queue.submit(newJob("other", "two"));
  expect(await follower.next()).toMatchObject({ id: 1, uuid });
});

test("every end of a job is visible as a change: done, failed, timed out, cancelled, expired", async () => {
  const follower = await follow();
  const done = await jobs.complete();
  const failed = await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  await jobs.queue.fail(failed.uuid, lease.token, { ...failure, retryable: false });
  const cancelled = await jobs.queue.submit(newJob());
  await jobs.queue.cancel("one", cancelled.uuid);
  const late = await jobs.queue.submit(newJob("waits"));
  await follower.take(9);
  await jobs.clock.advance(121_000);
  expect(listStates(await follower.take(1))).toEqual([[late.uuid, "error", 0]]);
  jobs.clock.shiftWall(86_400_000);
  await jobs.clock.advance(60_000);
  expect(listStates(await follower.take(1))).toEqual([[done, "expired", 1]]);
});

test("an expired lease is visible as a change if its retry is not due soon", async () => {
  await jobs.restart("stop", { retryDelayMs: 10_000 });
  const follower = await follow();
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.lease();
  await jobs.clock.advance(31_000);
  await jobs.clock.advance(10_000);
  await jobs.lease();
  const states = listStates(await follower.take(4));
  expect(states).toEqual([
    [uuid, "received", 0],
    [uuid, "in progress", 1],
    [uuid, "error(retrying)", 1],
    [uuid, "in progress", 2],
  ]);
});

test("a retry that is due soon is not a change, but the next attempt is", async () => {
  const follower = await follow();
  const { uuid } = await jobs.queue.submit(newJob());
  const first = await jobs.lease();
  await jobs.queue.fail(uuid, first.token, failure);
  await jobs.clock.advance(250);
  await jobs.lease();
  expect(listStates(await follower.take(3)).at(-1)).toEqual([uuid, "in progress", 2]);
});

test("a resuming reader gets the current state of each changed job, then new changes", async () => {
  const oldUuid = await jobs.complete();
  const seenChange = await (await follow(0)).next();
  const done = await jobs.complete();
  const { uuid: waiting } = await jobs.queue.submit(newJob());
  const follower = await follow(seenChange?.id ?? 0);
  expect(seenChange).toMatchObject({ uuid: oldUuid, id: 3 });
  expect(listStates(await follower.take(2))).toEqual([
    [done, "done", 1],
    [waiting, "received", 0],
  ]);
  await jobs.lease();
  expect(listStates(await follower.take(1))).toEqual([[waiting, "in progress", 1]]);
});

test("change numbers continue after a restart, and the recovery of an interrupted job is a change", async () => {
  const follower = await follow();
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.lease();
  const seenChanges = await follower.take(2);
  await jobs.restart("kill");
  const laterChange = await (await follow(seenChanges.at(-1)?.id ?? 0)).next();
  expect(laterChange).toMatchObject({ uuid, state: "received", attempts: 0 });
  expect(laterChange?.id).toBeGreaterThan(seenChanges.at(-1)?.id ?? 0);
});

test("change numbers of leases lost in a power failure are not reused", async () => {
  const follower = await follow();
  const { uuid } = await jobs.queue.submit(newJob());
  const { uuid: other } = await jobs.queue.submit(newJob());
  await jobs.lease();
  await jobs.lease();
  const lastSeenId = (await follower.take(4)).at(-1)?.id ?? 0;
  const { database } = jobs.table;
  database.run("UPDATE job SET state = 'received', attempts = 0, change = 2, lease_token = NULL");
  database.run("UPDATE account SET last_change = 2 WHERE id = 'one'");
  await jobs.restart("kill");
  await jobs.queue.cancel("one", uuid);
  await jobs.queue.cancel("one", other);
  expect(listStates(await (await follow(lastSeenId)).take(2))).toEqual([
    [uuid, "cancelled", 0],
    [other, "cancelled", 0],
  ]);
});

test("a reader that pauses misses intermediate states, and gets the current states when it continues", async () => {
  const follower = await follow();
  const submissions = Array.from({ length: 300 }, () => jobs.queue.submit(newJob()));
  const uuids = (await Promise.all(submissions)).map(({ uuid }) => uuid);
  await Promise.all(uuids.map((uuid) => jobs.queue.cancel("one", uuid)));
  const seen = new Map<string, string>();
  const ids: number[] = [];
  while (seen.size < 300 || [...seen.values()].some((state) => state !== "cancelled")) {
    const [change] = await follower.take(1);
    if (change === undefined) break;
    ids.push(change.id);
    seen.set(change.uuid, change.state);
  }
  expect([...seen.keys()]).toEqual(uuids);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(ids.length).toBeLessThan(600);
});

test("a change reader ends when its signal aborts, when its loop ends and when the queue stops", async () => {
  const signalFollower = await follow();
  const pendingChange = signalFollower.next();
  disconnected.abort();
  expect(await pendingChange).toBeUndefined();
  expect(await (await follow()).next()).toBeUndefined();

  disconnected = new AbortController();
  await jobs.complete();
  for await (const change of await jobs.queue.changes("one", 0, disconnected.signal)) {
    expect(change.state).toBe("done");
    break;
  }
  const queueFollower = await follow();
  const pending = queueFollower.next();
  await jobs.queue.stop();
  expect(await pending).toBeUndefined();
  expect(await (await follow()).next()).toBeUndefined();
});

test("changes between the call and the first read are not missed", async () => {
  const follower = await follow();
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.queue.cancel("one", uuid);
  expect(listStates(await follower.take(2))).toEqual([
    [uuid, "received", 0],
    [uuid, "cancelled", 0],
  ]);
});

test("deleting a job is not a change, and readers continue", async () => {
  const follower = await follow();
  const uuid = await jobs.complete();
  await jobs.queue.cancel("one", uuid);
  expect(await (await follow(0)).take(0)).toEqual([]);
  const next = await jobs.queue.submit(newJob());
  const states = (await follower.take(4)).map((change) => change.uuid);
  expect(states).toEqual([uuid, uuid, uuid, next.uuid]);
  expect(await (await follow(0)).next()).toMatchObject({ uuid: next.uuid });
});

test("later change readers see an expired result as expired", async () => {
  const uuid = await jobs.complete();
  jobs.clock.shiftWall(86_400_000);
  expect(await (await follow(0)).next()).toMatchObject({ uuid, state: "expired" });
  await expect(jobs.queue.complete(uuid, "none", result)).rejects.toThrow(/has ended/);
});
