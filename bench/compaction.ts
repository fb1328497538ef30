import { cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { readSegments, segmentPath } from "../src/archive/catalog/catalog.ts";
import { openCatalog } from "../src/archive/catalog/open-catalog.ts";
import { compactionContext } from "../src/archive/compaction/context.ts";
import { optimiseSegment } from "../src/archive/compaction/optimise.ts";
import { type ArchiveBounds, archiveDefaults } from "../src/archive/settings.ts";
import { openArchive } from "../src/archive/threads/open.ts";
import { systemClock } from "../src/lib/clock.ts";
import { changeCatalog } from "../testkit/archives/change-catalog.ts";
import { makePost } from "../testkit/data/make-post.ts";
import { command, summary, table } from "./measure.ts";

/**
 * Merges the index of the first segment of an unsealed archive (FOLDER/<size>/unsealed of
 * bench/sealed.ts), rewrites it, and seals all segments, while a post is written every 20 ms.
 */
const source = argv[2];
const rounds = 3;
if (source === undefined) {
  console.error(`usage: ${command()} DATA_FOLDER`);
  process.exit(2);
}
const queries: Readonly<Record<string, string>> = {
  "a common term": '"trump"',
  "a rare term": '"zelensky"',
  "two terms": '"trump" AND "clinton"',
  "three frequent terms": '"trump" AND "news" AND "the"',
  "a phrase": '"fake" + "news"',
  "a term without another": '"trump" NOT "news"',
  "one of two terms": '"maga" OR "putin"',
  nothing: '"trump" AND "zzzzq"',
};

console.log(`${command()}\n`);
const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-compaction-"));
const folder = join(dataDir, "archive");
try {
  copySource();
  merge();
  await measureWhileWriting();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

function copySource(): void {
  rmSync(dataDir, { recursive: true, force: true });
  cpSync(source ?? "", dataDir, { recursive: true });
}

function merge(): void {
  const context = compactionContext(folder, archiveDefaults, systemClock);
  const [entry] = readSegments(context.catalog);
  if (entry === undefined) throw new Error(`${source} has no posts`);
  const path = segmentPath(folder, entry);
  const before = measureSegment(path);
  const stepMs: number[] = [];
  const cpuBefore = process.cpuUsage();
  const work = optimiseSegment(context, entry);
  for (let isDone: boolean | undefined = false; !isDone; ) {
    const start = performance.now();
    isDone = work.next().done;
    stepMs.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  context.catalog.close();
  const after = measureSegment(path);
  console.log(
    `merged ${before.pieces} pieces into ${after.pieces}: ${((user + system) / 1e6).toFixed(1)} s of CPU time in ` +
      `${stepMs.length} steps, the longest ${Math.max(...stepMs).toFixed(0)} ms; ${before.bytes} bytes before, ${after.bytes} after\n`,
  );
  const rows = Object.keys(queries).map((kind) => [
    kind,
    before.medians[kind] ?? 0,
    after.medians[kind] ?? 0,
  ]);
  console.log(`${table(["newest 100 posts, median ms", "before", "after"], rows)}\n`);
}

function measureSegment(path: string) {
  const segment = new DatabaseSync(path, { readOnly: true });
  segment.exec("PRAGMA cache_size = -8000");
  const search = segment.prepare(
    "SELECT rowid FROM term WHERE term MATCH ? ORDER BY rowid DESC LIMIT 100",
  );
  search.setReadBigInts(true);
  const medians = Object.fromEntries(
    Object.entries(queries).map(([kind, expression]) => {
      const times = Array.from({ length: 101 }, () => {
        const start = performance.now();
        search.all(expression);
        return performance.now() - start;
      });
      return [kind, summary(times).p50];
    }),
  );
  const pieces = segment.prepare("SELECT count(DISTINCT segid) AS pieces FROM term_idx").get();
  segment.close();
  return { medians, pieces: Number(pieces?.pieces), bytes: statSync(path).size };
}

/** Measures writes with and without compaction, each in its own archive. */
async function measureWhileWriting(): Promise<void> {
  const rows: (string | number)[][] = [];
  const addRow = (name: string, { times, tookMs }: WriteTimes): void => {
    const { p50, p95, p99 } = summary(times);
    rows.push([name, (tookMs / 1_000).toFixed(0), p50, p95, p99, Math.max(...times)]);
  };
  for (let round = 1; round <= rounds; round++) {
    copySource();
    addRow("no compaction", await measureWithoutCompaction());
    addRow("while a segment is rewritten", await measureRewriting());
    copySource();
    addRow("no compaction", await measureWithoutCompaction());
    addRow("while segments are sealed", await measureSealing());
  }
  console.log(table(["a post on disk, ms", "seconds", "p50", "p95", "p99", "longest"], rows));
}

function measureWithoutCompaction(): Promise<WriteTimes> {
  return writeUntil("off", async (_, sinceMs) => sinceMs > 10_000);
}

function measureRewriting(): Promise<WriteTimes> {
  const catalog = openCatalog(folder);
  changeCatalog(
    catalog,
    "UPDATE segment SET analyzer = '0' WHERE sequence = (SELECT min(sequence) FROM segment)",
  );
  catalog.close();
  return writeUntil(
    "on",
    async (archive) => ((await archive.compactionState())?.done.reindex ?? 0) > 0,
  );
}

function measureSealing(): Promise<WriteTimes> {
  return writeUntil("on", isSealed, { sealAfterMs: 0, sealPosts: 10_000 });
}

async function isSealed(archive: OpenArchive): Promise<boolean> {
  const state = await archive.compactionState();
  return state !== null && state.done.seal > 0 && state.waiting.seal === 0;
}

type WriteTimes = { times: number[]; tookMs: number };
type OpenArchive = Awaited<ReturnType<typeof openArchive>>;

async function writeUntil(
  compaction: "on" | "off",
  isOver: (archive: OpenArchive, sinceMs: number) => Promise<boolean>,
  bounds: Partial<ArchiveBounds> = {},
): Promise<WriteTimes> {
  const archive = await openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 1_000_000,
    clock: systemClock,
    compaction,
    ...bounds,
  });
  // The first write starts the writer thread.
  await writeOne(archive);
  const times: number[] = [];
  const startedAt = performance.now();
  while (!(await isOver(archive, performance.now() - startedAt))) {
    const start = performance.now();
    await writeOne(archive);
    times.push(performance.now() - start);
    await systemClock.sleep(20);
  }
  const tookMs = performance.now() - startedAt;
  await archive.close();
  return { times, tookMs };
}

async function writeOne(archive: OpenArchive): Promise<void> {
  const nowMs = Date.now();
  const post = makePost({ key: `bench${nowMs}`, createdMs: nowMs, seenMs: nowMs });
  await archive.write({ changes: [{ kind: "upsert", post }] });
}
