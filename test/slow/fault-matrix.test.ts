import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { type FaultedServer, prepareFaultedServer } from "../support/faulted-server.ts";
import { createJobLedger, type JobLedger } from "../support/job-ledger.ts";
import { listenToJobs } from "../support/job-listener.ts";
import { testSeed } from "../support/seed.ts";
import { environmentOf, program } from "../support/server-process.ts";
import {
  bodyOf,
  call,
  type Place,
  runStranger,
  runUnluckyClient,
} from "../support/unlucky-client.ts";
import { until } from "../support/until.ts";

const seed = testSeed(1);
const random = seededRandom(seed);
const searches = 8;
const clients = 8;
/** How long faults go on. */
const stormMs = 45_000;
const path = "/v1/search/live/social";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-faults-"));
let server: FaultedServer;
beforeAll(async () => {
  importPosts();
  server = await prepareFaultedServer(folder, random);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Posts of which each search finds a few. */
function importPosts(): void {
  const file = join(folder, "posts.ndjson");
  const posts = Array.from({ length: 200 }, (_, n) => ({
    id: String(1_000_000_000_000_000_000n + BigInt(n) * 4_194_304n),
    author: "ann",
    created_at: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
    text: `word${n % searches} in post ${n}`,
  }));
  writeFileSync(file, posts.map((post) => `${JSON.stringify(post)}\n`).join(""));
  const environment = environmentOf(join(folder, "data"), {});
  execFileSync(process.execPath, [program, "import", file, "--platform", "x"], {
    env: environment,
    stdio: "ignore",
  });
}

/** What each search finds when nothing goes wrong. */
async function calmAnswers(place: Place): Promise<string[]> {
  const answers: string[] = [];
  for (let search = 0; search < searches; search++) {
    const headers = { "content-type": "application/json" };
    const submitted = await call(place, "POST", path, headers, bodyOf(search, "calm"));
    const { uuid } = JSON.parse(submitted?.text ?? "") as { uuid: string };
    answers.push((await call(place, "GET", `${path}/result/${uuid}?wait=3`))?.text ?? "");
  }
  return answers;
}

/** One fault after the other, each followed by a moment in which work goes on. */
async function storm(ledger: JobLedger): Promise<void> {
  const names = ["killed", "stopped", "diskFull", "cut", "frozen"] as const;
  const end = performance.now() + stormMs;
  for (let turn = 0; performance.now() < end; turn++) {
    await sleep(200 + random() * 1_000);
    // Each of them once, then as it comes.
    const name =
      names[turn < names.length ? turn : Math.floor(random() * names.length)] ?? "killed";
    await server.faults[name]();
    ledger.count(name);
  }
}

/** How often each query stands in the list of the account's jobs. */
async function listedQueries(place: Place): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await call(place, "GET", `${path}/jobs?limit=100${from}`);
    const listed = JSON.parse(page?.text ?? "") as {
      jobs: { query: string }[];
      next_cursor: string | null;
    };
    for (const { query } of listed.jobs) times.set(query, (times.get(query) ?? 0) + 1);
    cursor = listed.next_cursor;
  }
  return times;
}

test("no accepted job is lost or has two results, whatever happens to the server", async () => {
  await server.start(0);
  const place = { base: server.base, key: server.makeKey("clients") };
  const stranger = { base: server.base, key: server.makeKey("stranger") };
  const expected = await calmAnswers(place);
  expect(new Set(expected).size).toBe(searches);

  const ledger = createJobLedger(expected);
  let [stormIsOver, allIsOver] = [false, false];
  const listening = listenToJobs(place, ledger, () => allIsOver);
  const working = [
    ...Array.from({ length: clients }, () =>
      runUnluckyClient(place, ledger, searches, random, () => stormIsOver),
    ),
    runStranger(stranger, ledger, random, () => stormIsOver),
  ];
  await storm(ledger);
  stormIsOver = true;
  await Promise.all(working);
  await server.faults.cut();

  // Every job that was answered with a uuid has ended as it should, and its stream has said so.
  for (const [uuid] of ledger.accepted) {
    const answer = await until(`the end of ${uuid}`, async () => {
      const result = await call(place, "GET", `${path}/result/${uuid}?wait=3`);
      return result === null || result.status === 202 ? null : result;
    });
    if (answer.status === 200) ledger.receive(uuid, answer.text);
    else if (!ledger.given.has(uuid)) ledger.contradict(`${uuid} ended ${answer.status}`);
    if (answer.status === 404) continue;
    const state = answer.status === 200 ? "done" : "cancelled";
    await until(`${uuid} told as ${state}`, () => (ledger.heard(uuid) === state ? true : null));
    const seen = await call(stranger, "GET", `${path}/status/${uuid}`);
    if (seen?.status !== 404) ledger.contradict(`another account sees ${uuid}`);
  }
  const times = await listedQueries(place);
  for (const [idempotencyKey, [uuid = ""]] of ledger.byKey) {
    const { query } = bodyOf(ledger.accepted.get(uuid) ?? -1, idempotencyKey).arguments;
    const jobs = times.get(query) ?? 0;
    if (jobs === 1 || (jobs === 0 && ledger.given.has(uuid))) continue;
    ledger.contradict(`the key ${idempotencyKey} stands for ${jobs} jobs`);
  }
  allIsOver = true;
  await server.stop();
  await listening;

  console.log(
    `seed ${seed}, ${ledger.accepted.size} jobs accepted, ${JSON.stringify(ledger.counts)}`,
  );
  expect(ledger.contradictions).toEqual([]);
  expect(ledger.byKey.size).toBeGreaterThan(20);
});
