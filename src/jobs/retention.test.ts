import { expect, test } from "vitest";
import type { Store } from "../db/operations.ts";
import type { JobOperations } from "./operations.ts";
import { newJob, openJobTable, startTestQueue } from "./test-jobs.ts";

test("deadlines are kept while what is too old is dropped, however long that takes", async () => {
  const table = openJobTable();
  const dropping = Promise.withResolvers<void>();
  const write: Store<JobOperations>["write"] = async (name, args) => {
    if (name === "expireJobs") await dropping.promise;
    return await table.store.write(name, args);
  };
  const jobs = await startTestQueue({}, { ...table, store: { ...table.store, write } });
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.clock.advance(121_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "error" });
  dropping.resolve();
  await jobs.close();
});
