import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { commitsOfLog } from "./support/commits-of-log.ts";
import { makePost } from "./support/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "./support/service-under-test.ts";

const started: ServiceUnderTest[] = [];
afterAll(async () => {
  for (const service of started) await service.remove();
});

type Work = { calls: readonly string[]; commits: number };

const rounds = 7;

/** The calls of other threads and the commits of the control database that `act` takes: the fewest of some rounds. */
async function workOf(service: ServiceUnderTest, act: () => Promise<void>): Promise<Work> {
  const { store, archive } = service.context;
  const path = join(service.dataDir, "control.db");
  const works: Work[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const calls: string[] = [];
    // The heartbeat comes once a second, whatever happens.
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
    const before = commitsOfLog(path);
    await act();
    works.push({ calls, commits: commitsOfLog(path) - before });
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

async function submitAndFetch({ service, key }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const { uuid } = (await service.submit(key, search("comet"))).json();
  expect((await service.result(key, uuid)).json()).toHaveLength(1);
}

test("a small search is one commit, and few calls of other threads", async () => {
  const tested = await start({});
  expect(await workOf(tested.service, () => submitAndFetch(tested))).toEqual({
    calls: ["usableCredentials", "search", "insertJob", "page"],
    commits: 1,
  });
});

test("with EARSHOT_FAST_PATH=off it is two commits", async () => {
  const tested = await start({ EARSHOT_FAST_PATH: "off" });
  const { calls, commits } = await workOf(tested.service, () => submitAndFetch(tested));
  expect(calls).toContain("leaseJob");
  expect(commits).toBe(2);
});

test("a search in one call takes the same way", async () => {
  const { service, key } = await start({});
  const act = async () => {
    const options = {
      method: "POST",
      url: "/v1/search/social",
      payload: { query: "comet" },
    } as const;
    expect((await service.call(key, options)).json().results).toHaveLength(1);
  };
  expect(await workOf(service, act)).toEqual({
    calls: ["usableCredentials", "search", "insertJob", "records"],
    commits: 1,
  });
});
