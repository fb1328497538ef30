import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { openArchive } from "../../src/archive/threads/open.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { readCommits } from "../../testkit/service/wal-commits.ts";

const started: ServiceUnderTest[] = [];
afterAll(async () => {
  for (const service of started) await service.remove();
});

type Work = { calls: readonly string[]; commits: number };

const rounds = 7;

/** Returns the least work of several rounds. */
async function measureWork(service: ServiceUnderTest, act: () => Promise<void>): Promise<Work> {
  const { store, archive } = service.context;
  const path = join(service.dataDir, "control.db");
  const works: Work[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const calls: string[] = [];
    const note = (name: string) => name !== "beat" && calls.push(name);
    const spies = [
      ...(["read", "write"] as const).map((kind) => {
        const inner = store[kind] as (name: string, args: unknown) => Promise<unknown>;
        const counted = (name: string, args: unknown) => {
          note(name);
          return inner(name, args);
        };
        return vi.spyOn(store, kind).mockImplementation(counted as never);
      }),
      ...(["search", "page", "records", "withheld"] as const).map((name) => {
        const inner = archive[name] as (...args: unknown[]) => Promise<unknown>;
        const counted = (...args: unknown[]) => {
          note(name);
          return inner(...args);
        };
        return vi.spyOn(archive, name).mockImplementation(counted as never);
      }),
    ];
    const before = readCommits(path);
    await act();
    works.push({ calls, commits: readCommits(path) - before });
    for (const spy of spies) spy.mockRestore();
  }
  return {
    calls: works.toSorted((a, b) => a.calls.length - b.calls.length)[0]?.calls ?? [],
    commits: Math.min(...works.map(({ commits }) => commits)),
  };
}

async function start(settings: Readonly<Record<string, string>>) {
  const service = await startServiceUnderTest(settings);
  started.push(service);
  await service.addPosts([makePost({ text: "a comet", createdMs: service.clock.now() - 60_000 })]);
  return { service, key: await service.makeKey() };
}

type Tested = Awaited<ReturnType<typeof start>>;

const maxRounds = 200;

/** Repeats the search until the control thread has loaded its modules. */
async function submitCached({ service, key }: Tested): Promise<string> {
  const { store } = service.context;
  for (let round = 0; round < maxRounds; round += 1) {
    const write = vi.spyOn(store, "write");
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const isAlone = write.mock.calls.every(([name]) => name === "submitSearch" || name === "beat");
    write.mockRestore();
    if (isAlone) return uuid;
    service.clock.move(1_000);
  }
  throw new Error("no search was answered by the control thread");
}

async function submitAndFetch({ service, key }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const { uuid } = (await service.submit(key, search("comet"))).json();
  expect((await service.result(key, uuid)).json()).toHaveLength(1);
}

test("a short search and its page take one call to another thread and one commit", async () => {
  const tested = await start({});
  await submitCached(tested);
  expect(await measureWork(tested.service, () => submitAndFetch(tested))).toEqual({
    calls: ["submitSearch"],
    commits: 1,
  });
});

test("a short search takes two commits with EARSHOT_FAST_PATH=off", async () => {
  const tested = await start({ EARSHOT_FAST_PATH: "off" });
  const { calls, commits } = await measureWork(tested.service, () => submitAndFetch(tested));
  expect(calls).toContain("leaseJob");
  expect(commits).toBe(2);
});

test("a search in one request also takes the fast path", async () => {
  const tested = await start({});
  const { service, key } = tested;
  await submitCached(tested);
  const act = async () => {
    const options = {
      method: "POST",
      url: "/v1/search/social",
      payload: { query: "comet" },
    } as const;
    expect((await service.call(key, options)).json().results).toHaveLength(1);
  };
  expect(await measureWork(service, act)).toEqual({
    calls: ["submitSearch"],
    commits: 1,
  });
});

async function startWithPost() {
  const service = await startServiceUnderTest();
  started.push(service);
  const userId = "did:plc:ann";
  const post = makePost({ text: "a comet", createdMs: service.clock.now() - 60_000, userId });
  await service.addPosts([post]);
  return { tested: { service, key: await service.makeKey() }, post, userId };
}

const fetchResult = async ({ service, key }: Tested, uuid: string): Promise<unknown[]> =>
  (await service.result(key, uuid)).json();

test("a post that is deleted after its page was cached is omitted from the page", async () => {
  const { tested, post } = await startWithPost();
  const uuid = await submitCached(tested);
  const { platform, uri } = post;
  await tested.service.context.archive.write({
    changes: [{ kind: "delete", platform, uri, revision: "3zzzzzzzzzzzz" }],
  });
  expect(await fetchResult(tested, uuid)).toEqual([]);
});

test("a post that is hidden after its page was cached is omitted from the page", async () => {
  const { tested, post, userId } = await startWithPost();
  const uuid = await submitCached(tested);
  const { platform } = post;
  await tested.service.context.archive.write({
    changes: [{ kind: "account", platform, userId, status: "takendown", observedMs: 1 }],
  });
  expect(await fetchResult(tested, uuid)).toEqual([]);
});

test("a post that another process deletes after its page was cached is omitted from the page", async () => {
  const { tested, post } = await startWithPost();
  const uuid = await submitCached(tested);
  const { platform, uri } = post;
  const other = await openArchive({
    dataDir: tested.service.dataDir,
    readers: 1,
    segmentPosts: 1_000,
    clock: systemClock,
  });
  await other.write({ changes: [{ kind: "delete", platform, uri, revision: "3zzzzzzzzzzzz" }] });
  await other.close();
  expect(await fetchResult(tested, uuid)).toEqual([]);
});

test("a cached page equals the page read from the store", async () => {
  const { tested } = await startWithPost();
  const uuid = await submitCached(tested);
  const first = await tested.service.result(tested.key, uuid);
  const again = await tested.service.result(tested.key, uuid);
  expect(first.json()).toHaveLength(1);
  expect(again.body).toBe(first.body);
  const fields = ["x-coverage", "x-warnings", "x-node", "content-type", "content-length"];
  for (const field of fields) expect(again.headers[field]).toBe(first.headers[field]);
});
