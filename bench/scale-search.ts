import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { all, extractBounds, makePlan, namesIn } from "@earshot/query/plan";
import type { Archive, SearchRequest, SearchWork } from "../src/archive/archive.ts";
import { expression } from "../src/archive/segments/expression.ts";
import { lower } from "../src/archive/segments/lower.ts";
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
  /** One thread: search, and search with records. */
  search: Summary;
  archive: Summary;
  /** Two calls to reader threads, as in the service. */
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
  /** Longest, with a deadline of `deadlineMs`. */
  stoppedMs: number;
};

const limit = 100;
const rounds = 3;
/** Cache per segment; raw FTS5 gets the total. */
const cacheKib = 8_000;
export const deadlineMs = 50;

type PlannedQuery = { request: SearchRequest; match: string; low: bigint; high: bigint };

type Sides = {
  raw: RawFts5;
  reader: ReturnType<typeof createReader>;
  archive: Archive;
  close(): Promise<void>;
};

async function openSides(dataDir: string, rawPath: string, segments: number): Promise<Sides> {
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

/** Sides alternate; the median of the rounds counts per query. */
export async function measureKinds(
  dataDir: string,
  rawPath: string,
  segments: number,
  kinds: readonly QueryKind[],
  onKind: (figures: KindFigures) => void,
): Promise<KindFigures[]> {
  const sides = await openSides(dataDir, rawPath, segments);
  const measured: KindFigures[] = [];
  try {
    for (const { name, queries } of kinds) {
      const figures = await measureKind(sides, name, queries);
      measured.push(figures);
      onKind(figures);
    }
  } finally {
    await sides.close();
  }
  return measured;
}

async function measureKind(
  sides: Sides,
  name: string,
  queries: readonly string[],
): Promise<KindFigures> {
  const plannedQueries = queries.map((query) => planQuery(query, sides.reader));
  const times = plannedQueries.map(
    (): Record<"raw" | "search" | "archive" | "threads", number[]> => ({
      raw: [],
      search: [],
      archive: [],
      threads: [],
    }),
  );
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of plannedQueries.entries()) {
      const queryTimes = times[index];
      if (queryTimes === undefined) continue;
      // The second side finds warm caches, so they alternate.
      const isRawFirst = (index + round) % 2 === 0;
      let rawPosts = isRawFirst ? searchRaw(sides, one, queryTimes.raw) : 0;
      const posts = searchReader(sides, one, queryTimes);
      if (!isRawFirst) rawPosts = searchRaw(sides, one, queryTimes.raw);
      if (rawPosts !== posts)
        throw new Error(`${queries[index]}: ${posts} posts, FTS5 ${rawPosts}`);
      const start = performance.now();
      await sides.archive.records((await sides.archive.search(one.request)).positions);
      queryTimes.threads.push(performance.now() - start);
      found += posts;
    }
  }
  const timesOf = (side: "raw" | "search" | "archive" | "threads"): Summary =>
    summary(times.map((queryTimes) => middle(queryTimes[side])));
  const raw = timesOf("raw");
  const archive = timesOf("archive");
  return {
    name,
    queries: queries.length,
    found: found / rounds / queries.length,
    raw,
    search: timesOf("search"),
    archive,
    threads: timesOf("threads"),
    ratio: archive.mean / raw.mean,
  };
}

function searchRaw({ raw }: Sides, { match, low, high }: PlannedQuery, times: number[]): number {
  const start = performance.now();
  const rows = raw.newest.all(match, low, high);
  times.push(performance.now() - start);
  return rows.length;
}

function searchReader(
  { reader }: Sides,
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

/** Time and work, and whether a deadline ends them. */
export async function measureWorst(
  dataDir: string,
  rawPath: string,
  segments: number,
  kinds: readonly QueryKind[],
): Promise<WorstFigures[]> {
  const sides = await openSides(dataDir, rawPath, segments);
  try {
    return kinds.flatMap(({ name, queries }) =>
      queries.map((query) => measureWorstQuery(sides, name, planQuery(query, sides.reader))),
    );
  } finally {
    await sides.close();
  }
}

function measureWorstQuery(sides: Sides, name: string, one: PlannedQuery): WorstFigures {
  const raw: number[] = [];
  const archive: number[] = [];
  const stopped: number[] = [];
  let answer = sides.reader.operations.search(one.request);
  for (let round = 0; round < rounds; round++) {
    if (one.match !== "") searchRaw(sides, one, raw);
    let start = performance.now();
    answer = sides.reader.operations.search(one.request);
    sides.reader.operations.records(answer.positions);
    archive.push(performance.now() - start);
    start = performance.now();
    sides.reader.operations.search({ ...one.request, deadlineMs: Date.now() + deadlineMs });
    stopped.push(performance.now() - start);
  }
  const { segments: _, ...work } = answer.work;
  return {
    name,
    rawMs: middle(raw),
    archiveMs: middle(archive),
    work,
    complete: answer.complete,
    stoppedMs: Math.max(...stopped),
  };
}

function planQuery(query: string, { operations }: Sides["reader"]): PlannedQuery {
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
