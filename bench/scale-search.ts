import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { all, extractBounds, makePlan, namesIn } from "@earshot/query/plan";
import type { Archive, SearchRequest, SearchWork } from "../src/archive/archive.ts";
import { lower } from "../src/archive/read/platform-query.ts";
import { expression } from "../src/archive/segments/expression.ts";
import { openArchive } from "../src/archive/threads/open.ts";
import { createReader } from "../src/archive/threads/reader.ts";
import { systemClock } from "../src/lib/clock.ts";
import { lastId, lowestId } from "../src/posts/ids.ts";
import { type Summary, summary } from "./measure.ts";
import type { QueryKind } from "./queries.ts";
import { openRaw, type RawFts5 } from "./raw-fts5.ts";

export type KindFigures = {
  name: string;
  queries: number;
  /** Mean posts per page. */
  found: number;
  raw: Summary;
  /** The search alone, on one thread; `archive` includes the records. */
  search: Summary;
  archive: Summary;
  /** In two calls to reader threads, as in the service. */
  threads: Summary;
  /** Mean time with records, divided by the raw mean. */
  ratio: number;
};

export type WorstFigures = {
  name: string;
  rawMs: number;
  archiveMs: number;
  work: Omit<SearchWork, "segments">;
  complete: boolean;
  /** The longest search with a deadline of `deadlineMs`. */
  stoppedMs: number;
};

const limit = 100;
const rounds = 3;
/** Cache per segment; raw FTS5 gets the total. */
const cacheKib = 8_000;
export const deadlineMs = 50;

type PlannedQuery = { request: SearchRequest; match: string; low: bigint; high: bigint };

type Engines = {
  raw: RawFts5;
  reader: ReturnType<typeof createReader>;
  archive: Archive;
  close(): Promise<void>;
};

async function openEngines(dataDir: string, rawPath: string, segments: number): Promise<Engines> {
  const raw = openRaw(rawPath, cacheKib * segments, limit);
  const reader = createReader(join(dataDir, "archive"), cacheKib * segments, systemClock);
  const archive = await openArchive({
    dataDir,
    readers: 2,
    segmentPosts: 1_000_000,
    clock: systemClock,
  });
  const close = async (): Promise<void> => {
    raw.close();
    reader.close();
    await archive.close();
  };
  return { raw, reader, archive, close };
}

/** For each query, the median of the rounds counts. */
export async function measureKinds(
  dataDir: string,
  rawPath: string,
  segments: number,
  kinds: readonly QueryKind[],
  onKind: (figures: KindFigures) => void,
): Promise<KindFigures[]> {
  const engines = await openEngines(dataDir, rawPath, segments);
  const kindFigures: KindFigures[] = [];
  try {
    for (const { name, queries } of kinds) {
      const figures = await measureKind(engines, name, queries);
      kindFigures.push(figures);
      onKind(figures);
    }
  } finally {
    await engines.close();
  }
  return kindFigures;
}

async function measureKind(
  engines: Engines,
  name: string,
  queries: readonly string[],
): Promise<KindFigures> {
  const plannedQueries = queries.map((query) => planQuery(query, engines.reader));
  const times = plannedQueries.map(
    (): Record<"raw" | "search" | "archive" | "threads", number[]> => ({
      raw: [],
      search: [],
      archive: [],
      threads: [],
    }),
  );
  let foundPosts = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [index, plannedQuery] of plannedQueries.entries()) {
      const queryTimes = times[index];
      if (queryTimes === undefined) continue;
      // The engine that runs second finds warm caches, so the two alternate.
      const isRawFirst = (index + round) % 2 === 0;
      let rawPosts = isRawFirst ? searchRaw(engines, plannedQuery, queryTimes.raw) : 0;
      const posts = searchReader(engines, plannedQuery, queryTimes);
      if (!isRawFirst) rawPosts = searchRaw(engines, plannedQuery, queryTimes.raw);
      if (rawPosts !== posts)
        throw new Error(`${queries[index]}: ${posts} posts, FTS5 ${rawPosts}`);
      const start = performance.now();
      await engines.archive.records((await engines.archive.search(plannedQuery.request)).positions);
      queryTimes.threads.push(performance.now() - start);
      foundPosts += posts;
    }
  }
  const summariseTimes = (engine: "raw" | "search" | "archive" | "threads"): Summary =>
    summary(times.map((queryTimes) => middle(queryTimes[engine])));
  const raw = summariseTimes("raw");
  const archive = summariseTimes("archive");
  return {
    name,
    queries: queries.length,
    found: foundPosts / rounds / queries.length,
    raw,
    search: summariseTimes("search"),
    archive,
    threads: summariseTimes("threads"),
    ratio: archive.mean / raw.mean,
  };
}

function searchRaw({ raw }: Engines, { match, low, high }: PlannedQuery, times: number[]): number {
  const start = performance.now();
  const rows = raw.selectNewest.all(match, low, high);
  times.push(performance.now() - start);
  return rows.length;
}

function searchReader(
  { reader }: Engines,
  { request }: PlannedQuery,
  times: { search: number[]; archive: number[] },
): number {
  const start = performance.now();
  const { positions } = reader.operations.search(request);
  times.search.push(performance.now() - start);
  const { records } = reader.operations.records(positions);
  times.archive.push(performance.now() - start);
  return records.length;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export async function measureWorst(
  dataDir: string,
  rawPath: string,
  segments: number,
  kinds: readonly QueryKind[],
): Promise<WorstFigures[]> {
  const engines = await openEngines(dataDir, rawPath, segments);
  try {
    return kinds.flatMap(({ name, queries }) =>
      queries.map((query) => measureWorstQuery(engines, name, planQuery(query, engines.reader))),
    );
  } finally {
    await engines.close();
  }
}

function measureWorstQuery(engines: Engines, name: string, query: PlannedQuery): WorstFigures {
  const raw: number[] = [];
  const archive: number[] = [];
  const stoppedDurations: number[] = [];
  let answer = engines.reader.operations.search(query.request);
  for (let round = 0; round < rounds; round++) {
    if (query.match !== "") searchRaw(engines, query, raw);
    let start = performance.now();
    answer = engines.reader.operations.search(query.request);
    engines.reader.operations.records(answer.positions);
    archive.push(performance.now() - start);
    start = performance.now();
    engines.reader.operations.search({ ...query.request, deadlineMs: Date.now() + deadlineMs });
    stoppedDurations.push(performance.now() - start);
  }
  const { segments: _, ...work } = answer.work;
  return {
    name,
    rawMs: middle(raw),
    archiveMs: middle(archive),
    work,
    complete: answer.complete,
    stoppedMs: Math.max(...stoppedDurations),
  };
}

function planQuery(query: string, { operations }: Engines["reader"]): PlannedQuery {
  const { tree } = parseQuery(query);
  const plan = makePlan(tree, { names: operations.resolve(namesIn(tree)), asOfMs: Date.now() });
  const { conjuncts, fromMs, toMs } = extractBounds(plan, { fromMs: null, toMs: null });
  return {
    request: {
      plan,
      platforms: ["x"],
      fromMs: null,
      toMs: null,
      after: null,
      limit,
      deadlineMs: Number.POSITIVE_INFINITY,
    },
    match: expression(lower(all(conjuncts), "x").plan) ?? "",
    low: fromMs === null ? 0n : lowestId(fromMs),
    high: toMs === null ? lastId : lowestId(toMs) - 1n,
  };
}
