import { expect, test } from "vitest";
import type { Store } from "../../db/operations.ts";
import type { JobOperations } from "../operations.ts";
import { newJob, openJobTable, startTestQueue, type TestQueue } from "../test-jobs.ts";

test("deadlines are enforced during a long retention sweep", async () => {
  const table = openJobTable();
  const sweepAllowed = Promise.withResolvers<void>();
  const write: Store<JobOperations>["write"] = async (name, args) => {
    if (name === "expireJobs") await sweepAllowed.promise;
    return await table.store.write(name, args);
  };
  const jobs = await startTestQueue({}, { ...table, store: { ...table.store, write } });
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.clock.advance(121_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "error" });
  sweepAllowed.resolve();
  await jobs.close();
});

async function withSubmissionWithoutReply(work: (jobs: TestQueue, uuid: string) => Promise<void>) {
  const table = openJobTable();
  let losesReply = true;
  const write: Store<JobOperations>["write"] = async (name, args) => {
    const reply = await table.store.write(name, args);
    if (name !== "insertJob" || !losesReply) return reply;
    losesReply = false;
    throw new Error("the thread is gone");
  };
  const jobs = await startTestQueue({}, { ...table, store: { ...table.store, write } });
  await expect(jobs.queue.submit(newJob())).rejects.toThrow("the thread is gone");
  const [row] = table.database.all<{ uuid: string }>("SELECT uuid FROM job");
  await work(jobs, row?.uuid ?? "");
  await jobs.close();
}

test("a job that is only on disk times out a minute after its deadline, and change readers see it", async () => {
  await withSubmissionWithoutReply(async ({ clock, queue }, uuid) => {
    await clock.advance(179_000);
    expect(await queue.find("one", uuid)).toMatchObject({ state: "received" });
    await clock.advance(62_000);
    expect(await queue.find("one", uuid)).toMatchObject({
      state: "error",
      failure: { code: "deadline" },
    });
    const changes = await queue.changes("one", 0, AbortSignal.timeout(5_000));
    for await (const change of changes) {
      expect(change).toMatchObject({ id: 2, uuid, state: "error" });
      break;
    }
  });
});

test("a job in memory does not time out because of an outdated deadline in its row", async () => {
  const jobs = await startTestQueue();
  const { uuid } = await jobs.queue.submit(newJob());
  jobs.table.database.run("UPDATE job SET deadline_ms = 0");
  await jobs.clock.advance(70_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "received" });
  await jobs.close();
});
