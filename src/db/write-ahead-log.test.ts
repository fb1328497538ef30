import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

const databases = 200;

const opener = `
  const { workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const gate = new Int32Array(workerData.gate);
  import(workerData.module).then(({ useWriteAheadLog }) => {
    for (let n = 0; n < workerData.databases; n += 1) {
      Atomics.add(gate, n, 1);
      while (Atomics.load(gate, n) < workerData.threads);
      const database = new DatabaseSync(workerData.folder + "/" + n + ".db", { timeout: 10_000 });
      useWriteAheadLog(database);
      database.exec("CREATE TABLE IF NOT EXISTS seen(a)");
      database.close();
    }
  });
`;

test("two threads can create a database concurrently", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-wal-"));
  const workerData = {
    folder,
    databases,
    threads: 2,
    gate: new SharedArrayBuffer(4 * databases),
    module: new URL("./connection.ts", import.meta.url).href,
  };
  const threads = [1, 2].map(() => new Worker(opener, { eval: true, workerData }));
  const codes = await Promise.all(threads.map(async (thread) => (await once(thread, "exit"))[0]));
  expect(codes).toEqual([0, 0]);
  rmSync(folder, { recursive: true });
});
