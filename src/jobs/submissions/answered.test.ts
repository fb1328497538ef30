import { parseQuery } from "@earshot/query";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { jsonPage } from "../../lib/json-page.ts";
import { byPlatform } from "../../posts/post.ts";
import type { EndedJob } from "../queue.ts";
import { newJob, result, startTestQueue, type TestQueue } from "../test-jobs.ts";
import type { SkipReason } from "./answered-submissions.ts";
import { registerSearchAnswerer, type SearchAnswerer } from "./search-operations.ts";
import type { NewJob } from "./submission.ts";
import { maxUncommittedMs } from "./submission-commits.ts";

const node = { nodeId: "local", methods: ["searchbyquery"] };
const { tree } = parseQuery("comet", { maxLength: 100 });
const search = (overrides: Partial<NewJob> = {}): NewJob => ({ ...newJob(), tree, ...overrides });
const found = { answer: result, page: jsonPage(['{"ID":"30"}', '{"ID":"20"}']), tookMs: 2 };

let jobs: TestQueue;
let ended: EndedJob[];
let version: number | null;
let answer: SearchAnswerer;
let searchCount: number;
let skipReasons: SkipReason[];

beforeEach(async () => {
  ended = [];
  version = 1;
  searchCount = 0;
  skipReasons = [];
  answer = () => found;
  jobs = await startTestQueue({}, undefined, {
    localNodeId: "local",
    onEnd: (job) => ended.push(job),
    shortSearches: {
      makeContext: () => ({
        requestableWithoutCredential: [],
        requestableWithCredential: [],
        streamedPlatforms: [],
        coverageSlackMs: 0,
        liveSinceMs: byPlatform(() => null),
        isMastodonFollowed: false,
        hasRecords: false,
      }),
      version: () => version,
      onAnswered: () => undefined,
      onSkipped: (reason) => skipReasons.push(reason),
    },
  });
  registerSearchAnswerer(jobs.table.database.forOperations, (...args) => {
    searchCount += 1;
    return answer(...args);
  });
});

afterEach(() => jobs.close());

const lease = (waitMs = 1_000) => jobs.queue.lease(node, waitMs);
const isOnDisk = (uuid: string) =>
  jobs.table.database.get("SELECT 1 FROM job WHERE uuid = :uuid", { uuid }) !== undefined;

test("a search answered in its commit is done, with one numbered change", async () => {
  void lease();
  const { uuid, job } = await jobs.queue.submit(search());
  const startedMs = jobs.clock.now();
  const times = { submittedMs: startedMs, startedMs, finishedMs: startedMs + 2 };
  expect(job).toMatchObject({ uuid, state: "done", attempts: 1, node: "local", result, ...times });
  expect(isOnDisk(uuid)).toBe(true);
  expect(await jobs.queue.find("one", uuid)).toEqual(job);
  expect(
    jobs.table.database.get("SELECT last_change AS last FROM account WHERE id = 'one'"),
  ).toEqual({ last: 1 });
  expect(ended).toMatchObject([{ uuid, state: "done", attempts: 1, node: "local", posts: 2 }]);
  expect(jobs.queue.countRunning("local")).toBe(0);
});

test("a job answered in its commit has the same values in its row as in memory", async () => {
  void lease();
  const { uuid } = await jobs.queue.submit(search());
  const inMemory = await jobs.queue.find("one", uuid);
  await jobs.clock.advance(11_000);
  expect(await jobs.queue.find("one", uuid)).toEqual(inMemory);
});

test("a page answered in its job's commit is returned once", async () => {
  void lease();
  const { uuid } = await jobs.queue.submit(search());
  expect(jobs.queue.takePage(uuid.toUpperCase())?.body).toEqual(found.page.body);
  expect(jobs.queue.takePage(uuid)).toBeNull();
});

test.each([2, null])(
  "a page answered in its job's commit is not returned once the archive version is %s",
  async (later) => {
    void lease();
    const { uuid } = await jobs.queue.submit(search());
    version = later;
    expect(jobs.queue.takePage(uuid)).toBeNull();
    version = 1;
    expect(jobs.queue.takePage(uuid)).toBeNull();
  },
);

test("a deleted job's page is not returned", async () => {
  void lease();
  const { uuid } = await jobs.queue.submit(search());
  expect(await jobs.queue.cancel("one", uuid)).toBe("forgotten");
  expect(jobs.queue.takePage(uuid)).toBeNull();
});

test("a search that the writer thread cannot answer is leased, and the account's next searches briefly skip the thread", async () => {
  answer = () => "slow";
  for (const trial of ["first", "next"]) {
    const leasing = lease();
    const submitted = jobs.queue.submit(search());
    const nodeLease = await leasing;
    if (nodeLease === null) throw new Error("the local node got no job");
    expect([trial, isOnDisk(nodeLease.uuid)]).toEqual([trial, false]);
    await jobs.queue.complete(nodeLease.uuid, nodeLease.token, result);
    expect((await submitted).job?.state).toBe("done");
  }
  expect(searchCount).toBe(1);
  expect(skipReasons).toEqual(["slow", "paused"]);
  answer = () => found;
  void lease();
  await jobs.queue.submit(search({ accountId: "two", keyId: "other" }));
  expect(searchCount).toBe(2);
  await jobs.clock.advance(100);
  void lease();
  await jobs.queue.submit(search());
  expect(searchCount).toBe(3);
});

test("the account's next searches do not skip the writer thread after it was busy", async () => {
  answer = () => "busy";
  const leasing = lease();
  const submitted = jobs.queue.submit(search());
  const nodeLease = await leasing;
  await jobs.queue.complete(nodeLease?.uuid ?? "", nodeLease?.token ?? "", result);
  await submitted;
  answer = () => found;
  void lease();
  await jobs.queue.submit(search());
  expect(searchCount).toBe(2);
  expect(skipReasons).toEqual(["busy"]);
});

test("no search is answered in its commit while the archive has no version", async () => {
  version = null;
  const leasing = lease();
  const submitted = jobs.queue.submit(search());
  const nodeLease = await leasing;
  await jobs.queue.complete(nodeLease?.uuid ?? "", nodeLease?.token ?? "", result);
  expect((await submitted).job?.state).toBe("done");
  expect(searchCount).toBe(0);
});

test("a search of an account that was suspended before the commit is rejected, and its slot is freed", async () => {
  jobs.table.database.run("UPDATE account SET suspended_ms = 1 WHERE id = 'one'");
  void lease();
  await expect(jobs.queue.submit(search())).rejects.toMatchObject({ code: "account_suspended" });
  expect(jobs.queue.countRunning("local")).toBe(0);
  expect(ended).toEqual([]);
});

test("a reused idempotency key returns its first job, even if the search was answered again", async () => {
  const idempotency = { key: "k", requestHash: new Uint8Array(32) };
  void lease();
  const first = await jobs.queue.submit(search({ idempotency }));
  void lease();
  const second = await jobs.queue.submit(search({ idempotency }));
  expect(second).toMatchObject({ isRepeated: true, uuid: first.uuid, job: { state: "done" } });
  expect(searchCount).toBe(2);
  expect(ended.map(({ uuid }) => uuid)).toEqual([first.uuid]);
  expect(jobs.queue.countRunning("local")).toBe(0);
});

test("a job is done and counted even if its account's jobs are ended during the commit", async () => {
  void lease();
  const submitted = jobs.queue.submit(search());
  await Promise.resolve();
  const ending = jobs.queue.endAll("one");
  const { uuid, job } = await submitted;
  await ending;
  expect(job?.state).toBe("done");
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "done" });
  expect(ended.map((endedJob) => [endedJob.uuid, endedJob.state])).toEqual([[uuid, "done"]]);
});

test("after the writer thread has died in a search, the account's searches skip it for a minute", async () => {
  answer = () => {
    throw new EarshotError("thread_died", "it died", { status: 503, retryable: true });
  };
  void lease();
  await expect(jobs.queue.submit(search())).rejects.toMatchObject({ code: "thread_died" });
  expect(jobs.queue.countRunning("local")).toBe(0);
  await jobs.clock.advance(59_000);
  const leasing = lease();
  const submitted = jobs.queue.submit(search());
  const nodeLease = await leasing;
  await jobs.queue.complete(nodeLease?.uuid ?? "", nodeLease?.token ?? "", result);
  await submitted;
  expect(searchCount).toBe(1);
});

test("searches beyond the local node's free slots take the ordinary path", async () => {
  void lease();
  const first = jobs.queue.submit(search());
  const second = jobs.queue.submit(search({ accountId: "two", keyId: "other" }));
  await first;
  expect(skipReasons).toEqual(["no_slot"]);
  expect(searchCount).toBe(1);
  await jobs.clock.advance(maxUncommittedMs);
  const { uuid } = await second;
  expect(await jobs.queue.find("two", uuid)).toMatchObject({ state: "in progress" });
});

test("a search waits while its key is at its running-job limit", async () => {
  await jobs.restart("stop", { maxRunningPerKey: 1 });
  await jobs.queue.submit(newJob());
  const running = await jobs.lease();
  void lease();
  const { uuid } = await jobs.queue.submit(search());
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "received" });
  expect(searchCount).toBe(0);
  await jobs.queue.complete(running.uuid, running.token, result);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "in progress" });
});

function addWebhook(event: "job.done" | "job.cancelled"): void {
  jobs.table.database.run(
    `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
     VALUES('wh_1', 'one', 'https://example.com/', :events, x'00', 0)`,
    { events: JSON.stringify([event]) },
  );
}

test("a job's end reports deliveries only if a webhook subscribes to the event", async () => {
  const submitOne = async () => {
    void lease();
    return await jobs.queue.submit(search());
  };
  await submitOne();
  addWebhook("job.cancelled");
  await submitOne();
  await jobs.clock.advance(1_000);
  const waitingJob = await jobs.queue.submit(search({ tree: null }));
  await jobs.queue.cancel("one", waitingJob.uuid);
  jobs.table.database.run("DELETE FROM webhook");
  addWebhook("job.done");
  await submitOne();
  expect(ended.map(({ state, hasDeliveries }) => [state, hasDeliveries])).toEqual([
    ["done", false],
    ["done", false],
    ["cancelled", true],
    ["done", true],
  ]);
});
