import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { lowestId } from "../../src/posts/ids.ts";
import { configFrom } from "../../src/server/config.ts";
import { startService } from "../../src/server/start.ts";
import {
  folderDamageCases,
  makeSearch,
  queryService,
  runServiceTrial,
  type ServiceAnswers,
  type ServiceOutcome,
  words,
} from "../../testkit/corruption/service-trials.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { testRuns, testSeed } from "../../testkit/seed.ts";

const root = mkdtempSync(join(tmpdir(), "earshot-corruption-service-"));
const created = join(root, "created");
const older = join(root, "older");
const startMs = Date.UTC(2026, 0, 1);
const stored = { key: "", uuids: [] as string[] };
const outcomes: ServiceOutcome[] = [];
let truth: ServiceAnswers;

beforeAll(async () => {
  await fill(1, false);
  emptyLogs();
  cpSync(created, older, { recursive: true });
  await fill(2, true);
  emptyLogs();
  const healthy = await queryService(created, stored.key, stored.uuids);
  expect(healthy.refusal).toBeNull();
  truth = healthy.answers;
  emptyLogs();
  for (let round = 0; round < testRuns(2); round++) {
    for (const [index, error] of folderDamageCases.entries()) {
      const seed = testSeed(1) + round * 100 + index;
      const folders = { healthy: created, older, trial: join(root, "trial") };
      outcomes.push(await runServiceTrial(error, seed, folders, stored, truth));
    }
  }
  for (const { name, location, counts, refusal } of outcomes) {
    console.log(name, `(${location})`, JSON.stringify(counts), firstLine(refusal));
  }
}, 900_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const firstLine = (refusal: string | null): string => (refusal ?? "").trim().split("\n")[0] ?? "";

/** Starts a service, fills its folder and stops it. */
async function fill(edition: number, isLast: boolean): Promise<void> {
  const config = configFrom({
    EARSHOT_DATA_DIR: created,
    EARSHOT_INGEST: "off",
    EARSHOT_PORT: "0",
    EARSHOT_LOG_LEVEL: "silent",
    EARSHOT_BLUESKY_PUBLIC: "off",
    EARSHOT_DETECT_LANGUAGE: "off",
  });
  const service = await startService(config, { clock: systemClock });
  const { context, app } = service;
  const posts = Array.from({ length: 60 }, (_, n) =>
    makePost({
      platform: "x",
      nativeId: lowestId(startMs + (n * 2 + edition) * 60_000) + 3n,
      createdMs: startMs + (n * 2 + edition) * 60_000,
      text: `${words[n % words.length]} number ${n} of ${edition}`,
    }),
  );
  const covered = { fromMs: startMs - 86_400_000, toMs: startMs + 10 * 86_400_000 };
  await context.archive.write({
    changes: posts.map((post) => ({ kind: "upsert", post })),
    coverage: [{ platform: "x", collection: "posts", account: null, source: "import", ...covered }],
  });
  if (isLast) {
    const { token } = await context.store.write("createKey", {
      name: "trial",
      accountName: null,
      requestsPerSecond: 1_000_000,
      submissionsPerMinute: 1_000_000,
      nowMs: systemClock.now(),
    });
    stored.key = token;
    const headers = { authorization: `Bearer ${token}` };
    await app.inject({
      method: "POST",
      url: "/v1/webhooks",
      headers,
      payload: { url: "https://example.com/hook" },
    });
    for (const word of words) {
      const submitted = await app.inject({
        method: "POST",
        url: "/v1/search/live/social",
        headers,
        payload: makeSearch(word),
      });
      const { uuid } = submitted.json();
      await app.inject({
        method: "GET",
        url: `/v1/search/live/social/result/${uuid}?wait=30`,
        headers,
      });
      stored.uuids.push(uuid);
    }
  }
  await service.stop();
}

function emptyLogs(): void {
  for (const path of ["control.db", "archive/catalog.db", "archive/x/000001.db"]) {
    const database = new DatabaseSync(join(created, path));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }
}

test("a healthy server answers searches and stored results completely", () => {
  expect(truth.size).toBe(2 * words.length);
  for (const [name, { body, complete }] of truth) {
    expect(complete, name).toBe(true);
    expect(JSON.parse(body).length, name).toBeGreaterThan(10);
  }
});

test("a server on a damaged folder starts or reports why not, and marks no wrong answer as complete", () => {
  // Expects a message and a hint.
  const refusals = outcomes.flatMap(({ name, refusal }) =>
    refusal !== null && !/^earshot: .+ – .+/s.test(refusal) ? [`${name}: ${refusal}`] : [],
  );
  expect(refusals).toEqual([]);
  expect(
    outcomes.flatMap(({ name, location, wrongAnswers }) =>
      wrongAnswers.map((text) => `${name} (${location}): ${text}`),
    ),
  ).toEqual([]);
});

test("damaged side files of a database do not prevent a server from answering", () => {
  const harmless = outcomes.filter(({ name }) =>
    /^side files × garbage -shm|marked damaged/.test(name),
  );
  expect(harmless.length).toBeGreaterThan(0);
  for (const { name, counts } of harmless) expect(counts, name).toEqual({ correct: truth.size });
});
