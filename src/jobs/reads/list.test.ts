import { afterEach, beforeEach, expect, test } from "vitest";
import type { JobState } from "../job.ts";
import { newJob, request, result, startTestQueue, type TestQueue } from "../test-jobs.ts";
import type { JobFilter, JobPage } from "./job-list.ts";

let jobs: TestQueue;

beforeEach(async () => {
  jobs = await startTestQueue({ maxRunningPerKey: 100 });
});

afterEach(async () => {
  await jobs.close();
});

const noFilter: JobFilter = {
  states: null,
  methods: null,
  platforms: null,
  text: null,
  before: null,
  limit: 100,
};

async function filterUuids(filter: Partial<JobFilter>): Promise<string[]> {
  const page = await jobs.queue.list("one", { ...noFilter, ...filter });
  return page.jobs.map(({ uuid }) => uuid);
}

function insertEnded(count: number, state: JobState): void {
  jobs.table.database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
     INSERT INTO job(uuid, account_id, key_id, request, canonical_query, warnings, state, submitted_ms,
                     deadline_ms, finished_ms)
     SELECT printf('%08d', i), 'one', 'key', :request, '', '[]', :state, i, 0, :finishedMs FROM n`,
    { count, state, request: '{"method":"searchbyquery"}', finishedMs: jobs.clock.now() },
  );
}

test("pages of the job list contain each job once, newest first", async () => {
  const uuids: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    uuids.unshift((await jobs.queue.submit(newJob())).uuid);
    if (index % 2 === 0) await jobs.clock.advance(1);
  }
  expect(new Set(await filterUuids({}))).toEqual(new Set(uuids));
  const pagedUuids: string[] = [];
  let before: JobPage["next"] = null;
  do {
    const page: JobPage = await jobs.queue.list("one", { ...noFilter, before, limit: 3 });
    pagedUuids.push(...page.jobs.map(({ uuid }) => uuid));
    before = page.next;
  } while (before !== null);
  expect(pagedUuids).toEqual(await filterUuids({}));
  const times = (await jobs.queue.list("one", noFilter)).jobs.map(({ submittedMs }) => submittedMs);
  expect(times).toEqual([...times].sort((a, b) => b - a));
});

test("a full last page of jobs has no next page, and another account's list is empty", async () => {
  await jobs.queue.submit(newJob());
  await jobs.queue.submit(newJob());
  expect((await jobs.queue.list("one", { ...noFilter, limit: 2 })).next).toBeNull();
  expect(await jobs.queue.list("two", noFilter)).toEqual({ jobs: [], next: null });
});

test("a listed job has the count of its results, but not the results", async () => {
  const uuid = await jobs.complete();
  const [job] = (await jobs.queue.list("one", noFilter)).jobs;
  const found = await jobs.queue.find("one", uuid);
  const { result: _, ...head } = found ?? { result: null };
  expect(job).toEqual({ ...head, count: 2, complete: true, evidence: "none", microUsd: null });
  await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  await jobs.queue.complete(lease.uuid, lease.token, { ...result, complete: false, items: [] });
  const counts = (await jobs.queue.list("one", { ...noFilter, states: ["done"] })).jobs;
  expect(counts.map(({ complete }) => complete).sort()).toEqual([false, true]);
  jobs.clock.shiftWall(86_400_000);
  const expired = (await jobs.queue.list("one", noFilter)).jobs;
  expect(expired.map(({ count, complete, evidence }) => [count, complete, evidence])).toEqual([
    [null, null, null],
    [null, null, null],
  ]);
});

test("the job list can be filtered by method and by the state shown to callers", async () => {
  const done = await jobs.complete();
  const { uuid: running } = await jobs.queue.submit(newJob());
  await jobs.lease();
  const { uuid: failed } = await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  await jobs.queue.fail(failed, lease.token, {
    code: "x",
    message: "",
    status: 500,
    retryable: true,
  });
  const archive = await jobs.queue.submit({
    ...newJob(),
    request: { ...request, method: "searchbyfullarchive" },
  });
  expect(await filterUuids({ states: ["done"] })).toEqual([done]);
  expect((await filterUuids({ states: ["in progress"] })).sort()).toEqual([running, failed].sort());
  expect(await filterUuids({ states: ["error(retrying)"] })).toEqual([]);
  expect(await filterUuids({ methods: ["searchbyfullarchive"] })).toEqual([archive.uuid]);
  expect(await filterUuids({ methods: [], states: ["done"] })).toEqual([]);
  jobs.clock.shiftWall(86_400_000);
  expect(await filterUuids({ states: ["done"] })).toEqual([]);
  expect(await filterUuids({ states: ["expired"] })).toEqual([done]);
});

test("the job list can be filtered by platform and by part of the query", async () => {
  const submitWith = async (overrides: Partial<typeof request>) =>
    (await jobs.queue.submit({ ...newJob(), request: { ...request, ...overrides } })).uuid;
  const xUuid = await submitWith({ platform: "x", query: "Storm 100% _here" });
  const everywhere = await submitWith({ platform: "social", query: "storm" });
  expect(await filterUuids({ platforms: ["x"] })).toEqual([xUuid]);
  expect((await filterUuids({ platforms: ["x", "social"], text: "STORM" })).sort()).toEqual(
    [xUuid, everywhere].sort(),
  );
  expect(await filterUuids({ text: "0% _" })).toEqual([xUuid]);
  expect(await filterUuids({ text: "%" })).toEqual([xUuid]);
  expect(await filterUuids({ text: "s_orm" })).toEqual([]);
});

test("a listed job has the cost of its result, or none if no source has a price", async () => {
  const pricedSource = (microUsd: number) => ({ ...source, cost: { microUsd, month: null } });
  const uuids = [];
  for (const sources of [[source, pricedSource(5_000), pricedSource(10_000)], [source]]) {
    const { uuid } = await jobs.queue.submit(newJob());
    const lease = await jobs.lease();
    await jobs.queue.complete(lease.uuid, lease.token, { ...result, sources });
    uuids.push(uuid);
  }
  const listed = new Map(
    (await jobs.queue.list("one", noFilter)).jobs.map(({ uuid, microUsd }) => [uuid, microUsd]),
  );
  expect(uuids.map((uuid) => listed.get(uuid))).toEqual([15_000, null]);
});

const source = { platform: "x", via: "api", fromMs: null, toMs: 0, count: 1 } as const;

test("the job list finds two matches among thousands of jobs, and fills its pages", async () => {
  insertEnded(3_500, "error");
  jobs.table.database.run("UPDATE job SET state = 'cancelled' WHERE submitted_ms IN (1, 1700)");
  expect(await filterUuids({ states: ["cancelled"] })).toEqual(["00001700", "00000001"]);
  const page = await jobs.queue.list("one", { ...noFilter, states: ["cancelled"], limit: 1 });
  expect(page).toMatchObject({ jobs: [{ uuid: "00001700" }], next: { uuid: "00001700" } });
  expect(await filterUuids({ before: { submittedMs: 1_001, uuid: "00001001" } })).toHaveLength(100);
});

test("a page of jobs ends early when it would scan too many jobs, and the next page continues", async () => {
  insertEnded(25_000, "error");
  jobs.table.database.run("UPDATE job SET state = 'cancelled' WHERE submitted_ms IN (1, 24000)");
  const filter: JobFilter = { ...noFilter, states: ["cancelled"] };
  const page = await jobs.queue.list("one", filter);
  expect(page).toMatchObject({ jobs: [{ uuid: "00024000" }], next: { uuid: "00005001" } });
  const lastPage = await jobs.queue.list("one", { ...filter, before: page.next });
  expect(lastPage).toMatchObject({ jobs: [{ uuid: "00000001" }], next: null });
});
