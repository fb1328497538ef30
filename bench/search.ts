import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseQuery } from "@earshot/query";
import { all, extractBounds, makePlan, namesIn } from "@earshot/query/plan";
import { lower } from "../src/archive/read/platform-query.ts";
import { expression } from "../src/archive/segments/expression.ts";
import { openArchive } from "../src/archive/threads/open.ts";
import { createReader } from "../src/archive/threads/reader.ts";
import { readImportRecord, toPost } from "../src/ingest/import/record.ts";
import { systemClock } from "../src/lib/clock.ts";
import { lowestId } from "../src/posts/ids.ts";
import { indexTerms } from "../src/posts/terms.ts";
import { iraPosts, requireData, toRecord } from "./ira.ts";
import { command, summary, table } from "./measure.ts";
import { drawQueries } from "./queries.ts";

/**
 * The newest 100 posts with text, among the 600,000 real ones: raw FTS5, the archive on the same
 * thread, and through reader threads.
 */
requireData();
const queriesPerKind = 200;
const rounds = 3;
const limit = 100;
const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const archive = await openArchive({
  dataDir,
  readers: 2,
  segmentPosts: 1_000_000,
  clock: systemClock,
});
const raw = openRaw(join(dataDir, "raw.db"));

console.log(`building both from the real posts in ${dataDir} …`);
await build();
const reader = createReader(join(dataDir, "archive"), 8_000, systemClock);
const rawStatement = raw.prepare(
  `SELECT post.id, post.text FROM term JOIN post ON post.id = term.rowid
   WHERE term MATCH ? AND term.rowid BETWEEN ? AND ? ORDER BY term.rowid DESC LIMIT ${limit}`,
);
rawStatement.setReadBigInts(true);

console.log(
  `\n${command()}: ${queriesPerKind} queries of each kind, ${rounds} rounds, best round of each; milliseconds\n`,
);
const rows: (string | number)[][] = [];
for (const { name, queries } of await drawQueries(queriesPerKind)) {
  const plannedQueries = queries.map(planQuery);
  const best = { raw: infiniteSummary(), inThread: infiniteSummary(), threads: infiniteSummary() };
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const rawMs: number[] = [],
      inThreadMs: number[] = [],
      threadsMs: number[] = [];
    for (const { plan, match, low, high } of plannedQueries) {
      const request = {
        plan,
        platforms: ["x"] as const,
        fromMs: null,
        toMs: null,
        after: null,
        limit,
        deadlineMs: Number.POSITIVE_INFINITY,
      };
      let start = performance.now();
      const rawRows = rawStatement.all(match, low, high);
      rawMs.push(performance.now() - start);
      start = performance.now();
      const { positions } = reader.operations.search(request);
      const { records } = reader.operations.records(positions);
      inThreadMs.push(performance.now() - start);
      if (records.length !== rawRows.length)
        throw new Error(`${name}: ${records.length} against ${rawRows.length}`);
      start = performance.now();
      await archive.records((await archive.search(request)).positions);
      threadsMs.push(performance.now() - start);
      if (round === 0) found += records.length;
    }
    keepBetter(best, "raw", rawMs);
    keepBetter(best, "inThread", inThreadMs);
    keepBetter(best, "threads", threadsMs);
  }
  rows.push([
    name,
    String(Math.round(found / queries.length)),
    best.raw.p50,
    best.raw.p99,
    best.inThread.p50,
    best.inThread.p99,
    ratio(best.inThread.mean, best.raw.mean),
    best.threads.p50,
    best.threads.p99,
  ]);
}
console.log(
  table(
    [
      "kind",
      "found",
      "FTS5 p50",
      "p99",
      "archive p50",
      "p99",
      "mean ratio",
      "by threads p50",
      "p99",
    ],
    rows,
  ),
);
reader.close();
raw.close();
await archive.close();
rmSync(dataDir, { recursive: true });

function infiniteSummary() {
  return { p50: Infinity, p95: Infinity, p99: Infinity, mean: Infinity };
}

function keepBetter(
  best: Record<string, ReturnType<typeof summary>>,
  name: string,
  durations: number[],
): void {
  const roundSummary = summary(durations);
  if (roundSummary.mean < (best[name]?.mean ?? Infinity)) best[name] = roundSummary;
}

function ratio(a: number, b: number): string {
  return (a / b).toFixed(2);
}

function planQuery(query: string) {
  const { tree } = parseQuery(query);
  const plan = makePlan(tree, {
    names: reader.operations.resolve(namesIn(tree)),
    asOfMs: Date.now(),
  });
  const { conjuncts, fromMs, toMs } = extractBounds(plan, { fromMs: null, toMs: null });
  const match = expression(lower(all(conjuncts), "x").plan) ?? "";
  const low = fromMs === null ? 0n : lowestId(fromMs);
  const high = toMs === null ? 2n ** 63n - 1n : lowestId(toMs) - 1n;
  return { plan, match, low, high };
}

function openRaw(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA cache_size = -8000;
    CREATE TABLE post(id INTEGER PRIMARY KEY, text TEXT);
    CREATE VIRTUAL TABLE term USING fts5(terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '!""#$%&''''()*+,-./:;<=>?@[\\]^_\`{|}~'")`);
  return database;
}

async function build(): Promise<void> {
  const insertPost = raw.prepare("INSERT INTO post VALUES(?, ?)");
  const insertTerms = raw.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
  let batch: ReturnType<typeof toPost>[] = [];
  const flush = async (): Promise<void> => {
    raw.exec("BEGIN");
    for (const post of batch.toSorted((a, b) =>
      (a.nativeId ?? 0n) < (b.nativeId ?? 0n) ? -1 : 1,
    )) {
      insertPost.run(post.nativeId, post.text);
      insertTerms.run(post.nativeId, indexTerms(post).join(" "));
    }
    raw.exec("COMMIT");
    await archive.write({ changes: batch.map((post) => ({ kind: "upsert", post })) });
    batch = [];
  };
  for await (const post of iraPosts()) {
    batch.push(toPost(readImportRecord(toRecord(post)), "x", Date.now()));
    if (batch.length === 5_000) await flush();
  }
  await flush();
}
