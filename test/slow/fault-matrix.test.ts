import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { findingsIn } from "../../testkit/archives/findings-in.ts";
import { foundPosts } from "../../testkit/archives/found-posts.ts";
import { testSeed } from "../../testkit/seed.ts";
import { type FaultyServer, prepareFaultyServer } from "../../testkit/service/faulty-server.ts";
import { createJobLedger, type JobLedger } from "../../testkit/service/job-ledger.ts";
import { listenToJobs } from "../../testkit/service/job-listener.ts";
import {
  call,
  makeSubmissionBody,
  runOtherAccount,
  runRetryingClient,
  type ServiceAccess,
} from "../../testkit/service/retrying-client.ts";
import { makeEnvironment, program } from "../../testkit/service/server-process.ts";
import { importWord, prepareKilledImports } from "../../testkit/storm/killed-imports.ts";
import { prepareRepeatedBackups } from "../../testkit/storm/repeated-backups.ts";
import { auditCompleteness, compareWithStream } from "../../testkit/storm/stream-audit.ts";
import { type StreamTraffic, startStreamTraffic } from "../../testkit/storm/stream-traffic.ts";
import { until } from "../../testkit/until.ts";

const seed = testSeed(1);
const random = seededRandom(seed);
const searchWords = 8;
const clients = 4;
const minimumCounts = { killed: 15, diskFull: 11, stopped: 3, cut: 3, frozen: 3 };
const path = "/v1/search/live/social";

/** Small segments seal, split and merge constantly. */
const settings = {
  EARSHOT_INGEST: "bluesky",
  EARSHOT_INGEST_LOOKBACK: "1h",
  EARSHOT_INGEST_LEAST_BACKOFF: "20ms",
  EARSHOT_INGEST_MOST_BACKOFF: "200ms",
  EARSHOT_LABELER_URLS: "none",
  EARSHOT_LOOKUP: "off",
  EARSHOT_SEGMENT_POSTS: "800",
  EARSHOT_SPLIT_POSTS: "1200",
  EARSHOT_OPTIMISE_AFTER: "1s",
  EARSHOT_SEAL_AFTER: "1s",
  EARSHOT_SEAL_POSTS: "100",
  EARSHOT_RESEAL_PERCENT: "1",
  EARSHOT_RESEAL_EVERY: "1s",
  EARSHOT_RETIRED_TIME: "10s",
};

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-faults-"));
let server: FaultyServer;
let traffic: StreamTraffic;
beforeAll(async () => {
  importPosts();
  traffic = await startStreamTraffic(random);
  server = await prepareFaultyServer(folder, random, {
    ...settings,
    EARSHOT_JETSTREAM_URLS: traffic.url,
  });
});
afterAll(async () => {
  await server.close();
  await traffic.close();
  rmSync(folder, { recursive: true, force: true });
});

function importPosts(): void {
  const file = join(folder, "posts.ndjson");
  const posts = Array.from({ length: 200 }, (_, n) => ({
    id: String(1_000_000_000_000_000_000n + BigInt(n) * 4_194_304n),
    author: "ann",
    created_at: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
    text: `word${n % searchWords} in post ${n}`,
  }));
  writeFileSync(file, posts.map((post) => `${JSON.stringify(post)}\n`).join(""));
  const environment = makeEnvironment(join(folder, "data"), {});
  execFileSync(process.execPath, [program, "import", file, "--platform", "x"], {
    env: environment,
    stdio: "ignore",
  });
}

async function calmAnswers(access: ServiceAccess): Promise<string[]> {
  const answers: string[] = [];
  for (let search = 0; search < searchWords; search++) {
    const headers = { "content-type": "application/json" };
    const submitted = await call(access, "POST", path, headers, makeSubmissionBody(search, "calm"));
    const { uuid } = JSON.parse(submitted?.text ?? "") as { uuid: string };
    answers.push((await call(access, "GET", `${path}/result/${uuid}?wait=3`))?.text ?? "");
  }
  return answers;
}

/** Injects each fault as often as required, in random order. */
async function storm(ledger: JobLedger): Promise<void> {
  const due = Object.entries(minimumCounts).flatMap(([name, times]) =>
    Array.from({ length: times }, () => ({
      name: name as keyof FaultyServer["faults"],
      order: random(),
    })),
  );
  for (const { name } of due.sort((a, b) => a.order - b.order)) {
    await sleep(200 + random() * 1_000);
    await server.faults[name]();
    ledger.count(name);
  }
}

async function restoredFindings(backup: string): Promise<readonly unknown[]> {
  const restored = `${backup}-restored`;
  execFileSync(process.execPath, [program, "archive", "restore", backup], {
    env: makeEnvironment(restored, {}),
    stdio: "ignore",
  });
  return await findingsIn(join(restored, "archive"));
}

async function listedQueries(access: ServiceAccess): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await call(access, "GET", `${path}/jobs?limit=100${from}`);
    const listed = JSON.parse(page?.text ?? "") as {
      jobs: { query: string }[];
      next_cursor: string | null;
    };
    for (const { query } of listed.jobs) times.set(query, (times.get(query) ?? 0) + 1);
    cursor = listed.next_cursor;
  }
  return times;
}

test("nothing is lost, duplicated or wrongly covered under faults of every kind in random order", {
  timeout: 400_000,
}, async () => {
  await server.start(0);
  const access = { base: server.base, key: server.makeKey("clients") };
  const outsider = { base: server.base, key: server.makeKey("outsider") };
  const auditor = { base: server.base, key: server.makeKey("auditor") };
  const expected = await calmAnswers(access);
  expect(new Set(expected).size).toBe(searchWords);

  const ledger = createJobLedger(expected);
  let [stormIsOver, allIsOver] = [false, false];
  const isOver = (): boolean => stormIsOver;
  const imports = prepareKilledImports(folder, server.environment, random);
  const backups = prepareRepeatedBackups(folder, server.environment);
  const audit = auditCompleteness(auditor, traffic);
  const listening = listenToJobs(
    () => access,
    ledger,
    () => allIsOver,
  );
  const working = [
    ...Array.from({ length: clients }, () =>
      runRetryingClient(access, ledger, searchWords, random, isOver),
    ),
    runOtherAccount(outsider, ledger, random, isOver),
    imports.run(),
    backups.run(isOver),
    audit.run(isOver),
  ];
  await storm(ledger).finally(() => {
    stormIsOver = true;
  });
  await Promise.all(working);
  await server.faults.cut();
  const completeUnderErrors = audit.completeCount;
  const isCalm = (): boolean => audit.completeCount >= completeUnderErrors + 3;
  await audit.run(isCalm);

  for (const [uuid] of ledger.acceptedJobs) {
    const answer = await until(`the end of ${uuid}`, async () => {
      const result = await call(access, "GET", `${path}/result/${uuid}?wait=3`);
      return result === null || result.status === 202 ? null : result;
    });
    if (answer.status === 200) ledger.receive(uuid, answer.text);
    else if (!ledger.abandonedJobs.has(uuid)) ledger.contradict(`${uuid} ended ${answer.status}`);
    if (answer.status === 404) continue;
    const state = answer.status === 200 ? "done" : "cancelled";
    await until(`${uuid} reported as ${state}`, () =>
      ledger.lastState(uuid) === state ? true : null,
    );
    const seen = await call(outsider, "GET", `${path}/status/${uuid}`);
    if (seen?.status !== 404) ledger.contradict(`another account sees ${uuid}`);
  }
  const times = await listedQueries(access);
  for (const [idempotencyKey, [uuid = ""]] of ledger.jobsByKey) {
    const { query } = makeSubmissionBody(
      ledger.acceptedJobs.get(uuid) ?? -1,
      idempotencyKey,
    ).arguments;
    const jobs = times.get(query) ?? 0;
    if (jobs === 1 || (jobs === 0 && ledger.abandonedJobs.has(uuid))) continue;
    ledger.contradict(`the key ${idempotencyKey} refers to ${jobs} jobs`);
  }

  traffic.stop();
  let differences: string[] = [];
  await until("the stream has caught up", async () => {
    differences = await compareWithStream(auditor, traffic);
    return differences.length === 0 ? true : null;
  }).catch(() => {});
  const imported = (await foundPosts(auditor, importWord)).map(({ Content }) => Content);
  allIsOver = true;
  await server.stop();
  await listening;

  console.log(
    `seed ${seed}, ${ledger.acceptedJobs.size} jobs accepted, ${imports.kills()} imports killed, ` +
      `${traffic.livePosts().length} posts streamed, ${completeUnderErrors} of ${audit.answerCount} answers complete, ` +
      JSON.stringify(ledger.counts),
  );
  expect(ledger.contradictions).toEqual([]);
  expect(differences).toEqual([]);
  expect(audit.missingPosts).toEqual([]);
  expect(imported.length).toBe(imports.texts.size);
  expect(new Set(imported)).toEqual(imports.texts);
  expect(await findingsIn(join(folder, "data", "archive"))).toEqual([]);
  for (const backup of backups.backupFolders()) expect(await restoredFindings(backup)).toEqual([]);

  expect(ledger.jobsByKey.size).toBeGreaterThan(20);
  expect(imports.kills()).toBeGreaterThan(3);
  expect(backups.backupFolders().length).toBeGreaterThan(0);
});
