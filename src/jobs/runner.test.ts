import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SearchRequest } from "../archive/archive.ts";
import { EarshotError } from "../lib/errors.ts";
import { searchMethods } from "../platforms/methods.ts";
import { noLiveStream } from "../search/archive/coverage.ts";
import { type ArchiveSource, searchArchive } from "../search/archive/search.ts";
import { type Runner, startRunner } from "./runner.ts";
import { newJob, startTestQueue, type TestQueue } from "./test-jobs.ts";

type Search = { request: SearchRequest; signal: AbortSignal | undefined; answer: () => void };

let jobs: TestQueue;
let searches: Search[];
let searchCalled: PromiseWithResolvers<void>;
let logEntries: unknown[];
let gateway: TestQueue["queue"];
let runner: Runner;

function pausedArchive(): ArchiveSource["archive"] {
  const unexpected = () => Promise.reject(new Error("unexpected call"));
  const archive: Pick<ArchiveSource["archive"], "search" | "resolve"> = {
    resolve: async () => ({ accounts: new Map(), posts: new Map() }),
    search: (request, signal) =>
      new Promise((resolve, reject) => {
        const answer = () =>
          resolve({
            positions: [],
            next: null,
            complete: true,
            coverage: [],
            damage: [],
            work: noWork,
          });
        signal?.addEventListener("abort", () => reject(signal.reason));
        searches.push({ request, signal, answer });
        searchCalled.resolve();
        searchCalled = Promise.withResolvers();
      }),
  };
  return new Proxy(archive, {
    get: (target, name) => Reflect.get(target, name) ?? unexpected,
  }) as ArchiveSource["archive"];
}

const noWork = {
  segmentsOfPlatforms: 0,
  segmentsInWindow: 0,
  segmentsOpened: 0,
  slices: 0,
  statements: 0,
  candidates: 0,
  rechecked: 0,
  containers: 0,
  returned: 0,
  segments: [],
};

beforeEach(async () => {
  searches = [];
  logEntries = [];
  searchCalled = Promise.withResolvers();
  jobs = await startTestQueue({ maxRunningPerKey: 1 });
  gateway = { ...jobs.queue };
  runner = startRunner({
    gateway,
    answer: (request, { deadlineMs, signal }) =>
      searchArchive(
        {
          archive: pausedArchive(),
          clock: jobs.clock,
          streamedPlatforms: [],
          coverageSlackMs: 0,
          liveSinceMs: noLiveStream,
        },
        request,
        deadlineMs,
        signal,
      ),
    clock: jobs.clock,
    nodeId: "embedded",
    methods: searchMethods,
    concurrency: 1,
    log: { warn: (fields) => logEntries.push(fields) },
  });
});

afterEach(async () => {
  for (const { answer } of searches) answer();
  const stopped = runner.stop();
  await jobs.close();
  await stopped;
});

async function nextSearch(): Promise<Search> {
  const previousCount = searches.length;
  if (previousCount === 0) await searchCalled.promise;
  else while (searches.length === previousCount) await searchCalled.promise;
  const search = searches.at(-1);
  if (search === undefined) throw new Error("nothing was searched");
  return search;
}

test("a cancelled search stops immediately without a result, and its node and key run the next search", async () => {
  const first = nextSearch();
  const { uuid } = await jobs.queue.submit(newJob());
  const search = await first;
  const second = nextSearch();
  const { uuid: next } = await jobs.queue.submit(newJob());
  await jobs.queue.cancel("one", uuid);
  expect(search.signal?.aborted).toBe(true);
  const running = await second;
  expect(await jobs.queue.find("one", next)).toMatchObject({ state: "in progress" });
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "cancelled", result: null });
  running.answer();
  expect(await jobs.queue.waitForEnd("one", next, 1_000)).toMatchObject({ state: "done" });
  expect(logEntries).toEqual([]);
});

test("a node stops a job when a renewal reports that its lease is lost", async () => {
  const pendingSearch = nextSearch();
  const { uuid } = await jobs.queue.submit(newJob());
  const search = await pendingSearch;
  jobs.table.database.run("UPDATE job SET lease_token = 'of another node' WHERE uuid = :uuid", {
    uuid,
  });
  await jobs.clock.advance(14_000);
  expect(search.signal?.aborted).toBe(false);
  await jobs.clock.advance(1_000);
  expect(search.signal?.aborted).toBe(true);
  expect(logEntries).toEqual([]);
});

test("a search's deadline is its job's remaining time, and its lease is renewed", async () => {
  const pendingSearch = nextSearch();
  const { uuid } = await jobs.queue.submit(newJob());
  const search = await pendingSearch;
  expect(search.request.deadlineMs).toBe(jobs.clock.now() + 120_000);
  await jobs.clock.advance(100_000);
  expect(search.signal?.aborted).toBe(false);
  search.answer();
  expect(await jobs.queue.waitForEnd("one", uuid, 1_000)).toMatchObject({ state: "done" });
});

test("a failed lease renewal is retried soon, and the search continues", async () => {
  const pendingSearch = nextSearch();
  const { uuid } = await jobs.queue.submit(newJob());
  const search = await pendingSearch;
  const renew = vi.spyOn(gateway, "renew");
  renew.mockRejectedValueOnce(new EarshotError("store_unavailable", "it is busy"));
  await jobs.clock.advance(16_000);
  expect(renew).toHaveBeenCalledTimes(2);
  await jobs.clock.advance(84_000);
  expect(search.signal?.aborted).toBe(false);
  search.answer();
  expect(await jobs.queue.waitForEnd("one", uuid, 1_000)).toMatchObject({
    state: "done",
    attempts: 1,
  });
});
