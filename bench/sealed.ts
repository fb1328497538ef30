import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Reader } from "../src/archive/threads/reader.ts";
import { requireData } from "./ira.ts";
import { command, type Summary, seededRandom, summary, table } from "./measure.ts";
import { scaleFolder } from "./scale-folder.ts";
import { measureImport } from "./scale-import.ts";
import { scaledPosts } from "./scale-posts.ts";
import { drawScaleQueries, worstQueries } from "./scale-queries.ts";
import {
  countContainers,
  limit,
  newestIds,
  type OpenSegment,
  openRawEngines,
  openReader,
  openSegments,
  type PlannedQuery,
  planFor,
  type RawEngine,
} from "./sealed-engines.ts";
import { measureSeal, type SealFigures } from "./sealed-seal.ts";

/**
 * Compares the sealed index with FTS5 on the same posts: sealing, twelve kinds of query, the worst
 * queries, and exact counts. Creates missing inputs. Figures go to FOLDER/<size>-sealed.json.
 */
const pieces = ["seal", "queries", "worst", "counts"] as const;
type Piece = (typeof pieces)[number];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    posts: { type: "string", default: "1000000" },
    only: { type: "string" },
    queries: { type: "string", default: "200" },
    rounds: { type: "string", default: "3" },
    take: { type: "string", default: "middle" },
  },
});
const [folder] = positionals;
const only = pieces.find((piece) => piece === values.only);
if (folder === undefined || (values.only !== undefined && only === undefined)) {
  console.error(
    `usage: node bench/sealed.ts FOLDER [--posts 1000000] [--only ${pieces.join("|")}] [--queries 200] [--rounds 3] [--take middle|best]`,
  );
  process.exit(2);
}
requireData();
const posts = Number(values.posts);
const sizeFolder = scaleFolder(folder, posts);
const { unsealedDir, sealedDir, rawPath } = sizeFolder;
const rounds = Number(values.rounds);

const engines = {
  "FTS5 with text": ({ raw }: OpenEngines, query: PlannedQuery) => raw.newest(query),
  "sealed, IDs": ({ sealed }: OpenEngines, query: PlannedQuery) => newestIds(sealed, query).length,
  "sealed with text": ({ sealed, raw }: OpenEngines, query: PlannedQuery) =>
    raw.texts(newestIds(sealed, query)),
  "FTS5 segments with text": ({ plain, raw }: OpenEngines, query: PlannedQuery) =>
    raw.texts(newestIds(plain, query)),
  "sealed archive": ({ sealedReader }: OpenEngines, query: PlannedQuery) =>
    page(sealedReader, query),
  "FTS5 archive": ({ plainReader }: OpenEngines, query: PlannedQuery) => page(plainReader, query),
};
type Engine = keyof typeof engines;
const engineNames = Object.keys(engines) as Engine[];

type OpenEngines = {
  raw: RawEngine;
  plain: OpenSegment[];
  sealed: OpenSegment[];
  plainReader: Reader;
  sealedReader: Reader;
  close(): void;
};

function openEngines(): OpenEngines {
  const plain = openSegments(unsealedDir);
  const sealed = openSegments(sealedDir);
  const raw = openRawEngines(rawPath, plain.segments.length);
  const plainReader = openReader(unsealedDir);
  const sealedReader = openReader(sealedDir);
  return {
    raw,
    plain: plain.segments,
    sealed: sealed.segments,
    plainReader,
    sealedReader,
    close: () => {
      for (const each of [raw, plain, sealed, plainReader, sealedReader]) each.close();
    },
  };
}

function page({ operations }: Reader, { plan }: PlannedQuery): number {
  const { positions } = operations.search({
    plan,
    platforms: ["x"],
    fromMs: null,
    toMs: null,
    after: null,
    limit,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  return operations.records(positions).records.length;
}

type EngineTimes = Record<Engine, number[]>;

/**
 * Each engine runs all queries before the next, because they share no caches; the order rotates.
 * All must find the same number of posts.
 */
function measureEngines(opened: OpenEngines, queries: readonly string[]): EngineTimes {
  const plannedQueries = queries.map((query) => planFor(query, opened.plainReader));
  const foundCounts = plannedQueries.map(() => new Set<number>());
  const timesByRound = Object.fromEntries(
    engineNames.map((name) => [name, plannedQueries.map((): number[] => [])]),
  ) as Record<Engine, number[][]>;
  for (let round = 0; round < rounds; round++) {
    for (const turn of engineNames.keys()) {
      const name = engineNames[(turn + round) % engineNames.length] as Engine;
      for (const [index, query] of plannedQueries.entries()) {
        const start = performance.now();
        const count = engines[name](opened, query);
        timesByRound[name][index]?.push(performance.now() - start);
        foundCounts[index]?.add(count);
      }
    }
  }
  const mismatchIndex = foundCounts.findIndex(({ size }) => size > 1);
  if (mismatchIndex >= 0)
    throw new Error(`${queries[mismatchIndex]}: ${[...(foundCounts[mismatchIndex] ?? [])]} found`);
  return Object.fromEntries(
    engineNames.map((name) => [name, timesByRound[name].map(chosenTime)]),
  ) as Record<Engine, number[]>;
}

function shuffle<Value>(list: readonly Value[]): Value[] {
  const random = seededRandom(1);
  return list
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

/** On a loaded machine, the best round is more meaningful. */
const chosenTime = (ms: readonly number[]): number =>
  ms.toSorted((a, b) => a - b)[values.take === "best" ? 0 : Math.floor(ms.length / 2)] ?? 0;

type EngineFigures = Summary & { perSecond: number };
type KindFigures = { name: string; engines: Record<Engine, EngineFigures> };

const summariseEngines = (times: EngineTimes): Record<Engine, EngineFigures> =>
  Object.fromEntries(
    engineNames.map((name) => {
      const engineSummary = summary(times[name]);
      return [name, { ...engineSummary, perSecond: 1_000 / engineSummary.mean }];
    }),
  ) as Record<Engine, EngineFigures>;

/** The kinds of query are mixed, as in a service. */
async function searchKinds(opened: OpenEngines): Promise<KindFigures[]> {
  const kinds = await drawScaleQueries(Number(values.queries));
  const mixedQueries = shuffle(
    kinds.flatMap(({ name, queries }) => queries.map((query) => ({ name, query }))),
  );
  const times = measureEngines(
    opened,
    mixedQueries.map(({ query }) => query),
  );
  const kindFigures = kinds.map(({ name }): KindFigures => {
    const isOfKind = (_: number, index: number): boolean => mixedQueries[index]?.name === name;
    const kindTimes = Object.fromEntries(
      engineNames.map((engine) => [engine, times[engine].filter(isOfKind)]),
    );
    return { name, engines: summariseEngines(kindTimes as EngineTimes) };
  });
  kindFigures.push({ name: "all", engines: summariseEngines(times) });
  const ratio = (figures: KindFigures, engine: Engine): string =>
    (figures.engines[engine].perSecond / figures.engines["FTS5 with text"].perSecond).toFixed(2);
  console.log(
    `${posts} posts, newest ${limit}, ${values.queries} queries of each kind, milliseconds; the ${values.take} of ${rounds} rounds\n`,
  );
  for (const [label, readValue] of [
    ["queries a second", ({ perSecond }: EngineFigures) => perSecond.toFixed(0)],
    ["p50", ({ p50 }: EngineFigures) => p50],
    ["p95", ({ p95 }: EngineFigures) => p95],
    ["p99", ({ p99 }: EngineFigures) => p99],
  ] as const) {
    const rows = kindFigures.map((figures) => [
      figures.name,
      ...engineNames.map((engine) => readValue(figures.engines[engine])),
      ...(label === "queries a second" ? [ratio(figures, "sealed with text")] : []),
    ]);
    const extraHeader = label === "queries a second" ? ["× FTS5 with text"] : [];
    console.log(`${table([label, ...engineNames, ...extraHeader], rows)}\n`);
  }
  return kindFigures;
}

async function searchWorst(opened: OpenEngines): Promise<unknown> {
  const kinds = await worstQueries();
  const figures = kinds.map(({ name, queries: [query = ""] }) => {
    const times = measureEngines(opened, [query, query, query]);
    const plannedQuery = planFor(query, opened.plainReader);
    const ms = Object.fromEntries(engineNames.map((engine) => [engine, chosenTime(times[engine])]));
    return { name, containers: countContainers(opened.sealed, plannedQuery), ms };
  });
  const rows = figures.map(({ name, containers, ms }) => [
    name,
    ...engineNames.map((engine) => ms[engine] ?? 0),
    String(containers),
  ]);
  console.log(`${table(["worst", ...engineNames, "containers"], rows)}\n`);
  return figures;
}

const hourMs = 3_600_000;

async function countAll(opened: OpenEngines): Promise<unknown> {
  const worst = await worstQueries();
  const orQuery = worst.find(({ name }) => name === "50-way OR")?.queries[0] ?? "";
  const countQueries = [
    ["50-way OR", orQuery, null],
    ["lang:en", "lang:en", null],
    ["three frequent terms", "the to of", null],
    ["lang:en by hour", "lang:en", hourMs],
    ["50-way OR by hour", orQuery, hourMs],
  ] as const;
  const figures = countQueries.map(([name, query, widthMs]) => {
    const plannedQuery = planFor(query, opened.plainReader);
    const fts5: number[] = [];
    const plain: number[] = [];
    const sealed: number[] = [];
    const sum = (counts: ReadonlyMap<number, number>): number =>
      [...counts.values()].reduce((all, count) => all + count, 0);
    let posts = 0;
    for (let round = 0; round < 5; round++) {
      let start = performance.now();
      if (widthMs === null) opened.raw.count(plannedQuery.match);
      else opened.raw.hours(plannedQuery.match);
      fts5.push(performance.now() - start);
      start = performance.now();
      const expected = sum(countIn(opened.plain, plannedQuery, widthMs ?? 1e15));
      plain.push(performance.now() - start);
      start = performance.now();
      posts = sum(countIn(opened.sealed, plannedQuery, widthMs ?? 1e15));
      sealed.push(performance.now() - start);
      if (posts !== expected) throw new Error(`${name}: ${posts}, by FTS5 ${expected}`);
    }
    return {
      name,
      posts,
      fts5Ms: chosenTime(fts5),
      plainMs: chosenTime(plain),
      sealedMs: chosenTime(sealed),
      firstMs: sealed[0] ?? 0,
    };
  });
  const rows = figures.map((figure) => [
    figure.name,
    String(figure.posts),
    figure.fts5Ms,
    figure.plainMs,
    figure.sealedMs,
    figure.firstMs,
  ]);
  console.log(
    `${table(["exact count", "posts", "FTS5", "FTS5 segments", "sealed", "first time"], rows)}\n`,
  );
  return figures;
}

function countIn(
  segments: readonly OpenSegment[],
  { query, ids }: PlannedQuery,
  widthMs: number,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { entry, segment } of segments) {
    const found = segment.counter.withSnapshot(() =>
      segment.counter.count(
        { ...query, skew: entry.skew },
        ids,
        { originMs: 0, widthMs },
        () => false,
      ),
    );
    for (const [bucket, count] of found.counts) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + count);
    }
  }
  return counts;
}

function printSeal(figures: SealFigures): SealFigures {
  const { parts, ...rest } = figures;
  console.log(
    `${JSON.stringify(rest, null, 1)}\n\n${table(
      ["part", "bytes a post"],
      Object.entries(parts).map(([name, bytes]) => [name, bytes]),
    )}\n`,
  );
  return figures;
}

async function prepare(): Promise<void> {
  await sizeFolder.buildRawOnce();
  if (existsSync(`${unsealedDir}/archive`)) return;
  console.log("importing the posts …");
  await measureImport(unsealedDir, await scaledPosts(posts), { EARSHOT_SEAL: "off" });
}

const save = (piece: Piece, figures: unknown): void =>
  sizeFolder.saveFigures("-sealed", piece, figures);

console.log(`${command()}\n`);
await prepare();
for (const piece of only === undefined ? pieces : [only]) {
  if (piece === "seal") {
    save("seal", printSeal(measureSeal(unsealedDir, sealedDir)));
    continue;
  }
  const opened = openEngines();
  try {
    if (piece === "queries") save("queries", await searchKinds(opened));
    if (piece === "worst") save("worst", await searchWorst(opened));
    if (piece === "counts") save("counts", await countAll(opened));
  } finally {
    opened.close();
  }
}
