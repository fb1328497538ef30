import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../testkit/service/free-port.ts";
import { requireData } from "./ira.ts";
import { command, table } from "./measure.ts";
import { scaleFolder } from "./scale-folder.ts";
import { type ImportFigures, measureImport } from "./scale-import.ts";
import { scaledPosts } from "./scale-posts.ts";
import { drawScaleQueries, worstQueries } from "./scale-queries.ts";
import {
  deadlineMs,
  type KindFigures,
  measureKinds,
  measureWorst,
  type WorstFigures,
} from "./scale-search.ts";
import { type LiveFigures, measureLive, measureReady, type ReadyFigures } from "./scale-serve.ts";

/**
 * The archive at 1, 3 and 10 million posts: import, queries compared with raw FTS5, the worst
 * queries, start, live stream. Writes FOLDER/<size>.json; without --only, existing figures are
 * skipped.
 */
export type ScaleFigures = {
  posts: number;
  made: string;
  import?: ImportFigures;
  queries?: KindFigures[];
  worst?: WorstFigures[];
  ready?: ReadyFigures;
  live?: LiveFigures;
};

const pieces = ["import", "queries", "worst", "ready", "live"] as const;
type Piece = (typeof pieces)[number];

const usage = `usage: node bench/scale.ts FOLDER [--posts 1000000] [--only ${pieces.join("|")}] [--queries 200]`;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    posts: { type: "string", default: "1000000" },
    only: { type: "string" },
    queries: { type: "string", default: "200" },
  },
});
const [folder] = positionals;
const only = pieces.find((piece) => piece === values.only);
if (folder === undefined || (values.only !== undefined && only === undefined)) {
  console.error(usage);
  process.exit(2);
}
requireData();
const posts = Number(values.posts);
const {
  dataDir,
  rawPath,
  buildRawOnce,
  readFigures: savedFigures,
  saveFigures,
} = scaleFolder(folder, posts);

async function measure(piece: Piece): Promise<void> {
  if (piece === "import") save("import", printImport(await importPosts()));
  else if (!existsSync(join(dataDir, "archive")))
    throw new Error(`${dataDir} has no archive: import first`);
  if (piece === "queries") save("queries", await searchKinds());
  if (piece === "worst") save("worst", printWorst(await searchWorst()));
  if (piece === "ready") save("ready", printReady(await measureStart()));
  if (piece === "live") save("live", printLive(await measureLive(dataDir, await freePort())));
}

function readFigures(): ScaleFigures {
  const made = "600,000 real posts, repeated with shifted times, other IDs and other rare words";
  return { posts, made, ...savedFigures("") };
}

function save<Name extends Piece>(name: Name, figures: ScaleFigures[Name]): void {
  saveFigures("", name, figures);
}

async function importPosts(): Promise<ImportFigures> {
  const source = await scaledPosts(posts);
  console.log(`importing ${posts} posts, ${source.copies} copies of the real ones …`);
  return measureImport(dataDir, source, {});
}

async function searchKinds(): Promise<KindFigures[]> {
  await buildRawOnce();
  const kinds = await drawScaleQueries(Number(values.queries));
  const rows: (string | number)[][] = [];
  const onKind = (kind: KindFigures): void => {
    console.error(`${kind.name} …`);
    rows.push(getRow(kind));
  };
  const figures = await measureKinds(dataDir, rawPath, segments(), kinds, onKind);
  const mean = figures.reduce((sum, { ratio }) => sum + ratio, 0) / figures.length;
  console.log(
    `\n${posts} posts, newest 100, ${values.queries} queries of each kind, milliseconds\n`,
  );
  console.log(table(queryHeader, rows));
  console.log(`\nmean ratio ${mean.toFixed(2)}\n`);
  return figures;
}

const queryHeader = ["kind", "found"].concat(
  ["FTS5 p50", "p95", "p99", "archive p50", "p95", "p99", "ratio"],
  ["search alone p50", "by threads p50", "p99"],
);

const getRow = ({ name, found, raw, archive, search, threads, ratio }: KindFigures) => [
  name,
  found.toFixed(0),
  raw.p50,
  raw.p95,
  raw.p99,
  archive.p50,
  archive.p95,
  archive.p99,
  ratio.toFixed(2),
  search.p50,
  threads.p50,
  threads.p99,
];

async function searchWorst(): Promise<WorstFigures[]> {
  await buildRawOnce();
  return measureWorst(dataDir, rawPath, segments(), await worstQueries());
}

async function measureStart(): Promise<ReadyFigures> {
  return measureReady(dataDir, await drawScaleQueries(100), await freePort());
}

const segments = (): number => readFigures().import?.segments ?? 1;

function printImport(figures: ImportFigures): ImportFigures {
  const { postsPerSecond, seconds, bytesPerPost, peakMb, parts } = figures;
  const sortedParts = Object.entries(parts).sort((a, b) => b[1] - a[1]);
  console.log(
    `${postsPerSecond.toFixed(0)} posts/s (${seconds.toFixed(1)} s), peak memory ${peakMb.toFixed(0)} MB, ` +
      `${bytesPerPost.toFixed(1)} bytes a post: ${sortedParts.map(([part, bytes]) => `${part} ${bytes.toFixed(1)}`).join(", ")}\n`,
  );
  return figures;
}

function printWorst(figures: WorstFigures[]): WorstFigures[] {
  const header = ["query", "FTS5", "archive", `stopped after ${deadlineMs}`].concat([
    "segments",
    "statements",
    "candidates",
    "rechecked",
    "found",
  ]);
  const rows = figures.map(({ name, rawMs, archiveMs, stoppedMs, work }) => [
    name,
    rawMs,
    archiveMs,
    stoppedMs,
    String(work.segmentsOpened),
    String(work.statements),
    String(work.candidates),
    String(work.rechecked),
    String(work.returned),
  ]);
  console.log(`${posts} posts, milliseconds\n\n${table(header, rows)}\n`);
  return figures;
}

function printReady(figures: ReadyFigures): ReadyFigures {
  const { readyMs, readyMb, searches, searchedMb } = figures;
  console.log(
    `ready after ${readyMs.map((ms) => ms.toFixed(0)).join(", ")} ms with ${readyMb.toFixed(0)} MB; ` +
      `${searchedMb.toFixed(0)} MB after ${searches} searches\n`,
  );
  return figures;
}

function printLive(figures: LiveFigures): LiveFigures {
  const { searchableMs, posts: count, likes, likesPerSecond, residentMb } = figures;
  console.log(
    `${count} live posts searchable after p50 ${searchableMs.p50.toFixed(0)}, p95 ${searchableMs.p95.toFixed(0)} ms; ` +
      `${likes} likes at ${likesPerSecond.toFixed(0)}/s; ${residentMb.toFixed(0)} MB\n`,
  );
  return figures;
}

console.log(`${command()}\n`);
for (const piece of only === undefined ? pieces : [only]) {
  if (only === undefined && readFigures()[piece] !== undefined) continue;
  await measure(piece);
}
