import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { controlMigrations } from "../db/migrations/control.ts";
import { openStoreForWriting } from "../db/open.ts";
import { encodeRequest, encodeResult } from "./stored.ts";
import { openJobTable, request, result, startTestQueue } from "./test-jobs.ts";

const stoppedMs = 1_700_000_000_000;

function makeFirstStore(folder: string): void {
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations.slice(0, 1));
  database.run("INSERT INTO setting VALUES('heartbeat', :stoppedMs)", { stoppedMs });
  database.run("INSERT INTO account VALUES('one', 'newsroom', 0)");
  const columns = `uuid, account_id, key_id, request, canonical_query, warnings, state, attempts, lease_token,
    not_before_ms, submitted_ms, deadline_ms, started_ms, finished_ms, expires_ms, result, failure`;
  const rows: Record<string, Record<string, string | number | null>> = {
    waits: { state: "received" },
    runs: { state: "in progress", attempts: 2, token: "old", startedMs: stoppedMs - 500 },
    retries: { state: "error(retrying)", attempts: 1, notBeforeMs: stoppedMs + 400 },
    done: {
      state: "done",
      attempts: 1,
      finishedMs: stoppedMs - 10,
      expiresMs: stoppedMs + 3_600_000,
      result: encodeResult(result),
    },
    failed: {
      state: "error",
      attempts: 3,
      finishedMs: stoppedMs - 10,
      failure: '{"code":"broken","message":"it broke","status":502}',
    },
  };
  for (const [uuid, row] of Object.entries(rows)) {
    database.run(
      `INSERT INTO job(${columns})
       VALUES(:uuid, 'one', 'key', :request, 'comet', '[]', :state, :attempts, :token, :notBeforeMs,
              :submittedMs, :deadlineMs, :startedMs, :finishedMs, :expiresMs, :result, :failure)`,
      {
        attempts: 0,
        token: null,
        notBeforeMs: 0,
        submittedMs: stoppedMs - 1_000,
        deadlineMs: stoppedMs + 119_000,
        startedMs: null,
        finishedMs: null,
        expiresMs: null,
        result: null,
        failure: null,
        ...row,
        uuid,
        request: encodeRequest(request),
      },
    );
  }
  database.close();
}

test("jobs stored with the first schema can be read and completed after the upgrade", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  makeFirstStore(folder);
  const jobs = await startTestQueue({}, openJobTable(folder));
  const { queue, clock } = jobs;

  expect(await queue.find("one", "done")).toMatchObject({ state: "done", result });
  expect(await queue.find("one", "failed")).toMatchObject({
    state: "error",
    failure: { code: "broken" },
  });
  expect(await queue.find("one", "runs")).toMatchObject({ state: "received", attempts: 1 });
  const listed = await queue.list("one", {
    states: null,
    methods: null,
    platforms: null,
    text: null,
    before: null,
    limit: 9,
  });
  expect(listed.jobs.map(({ uuid }) => uuid).sort()).toEqual([
    "done",
    "failed",
    "retries",
    "runs",
    "waits",
  ]);

  await clock.advance(400);
  const attempts = new Map<string, number>();
  for (let count = 0; count < 3; count += 1) {
    const lease = await jobs.lease();
    attempts.set(lease.uuid, lease.attempt);
    expect(lease.remainingMs).toBe(118_600);
    await queue.complete(lease.uuid, lease.token, result);
    expect(await queue.find("one", lease.uuid)).toMatchObject({ state: "done", result });
  }
  expect(attempts).toEqual(
    new Map([
      ["waits", 1],
      ["runs", 2],
      ["retries", 2],
    ]),
  );

  expect(await queue.cancel("one", "done")).toBe("forgotten");
  const disconnected = new AbortController();
  const changes = (await queue.changes("one", 0, disconnected.signal))[Symbol.asyncIterator]();
  expect((await changes.next()).value).toMatchObject({ uuid: "waits", state: "done" });
  disconnected.abort();
  await jobs.close();
});
