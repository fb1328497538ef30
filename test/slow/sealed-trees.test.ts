import type { DatabaseSync } from "node:sqlite";
import type { PlanNode } from "@earshot/query/plan";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRealPosts, iraPosts, toRecord } from "../../bench/ira.ts";
import { seededRandom } from "../../bench/measure.ts";
import { readSegments, segmentPath } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { isPositionalTerm } from "../../src/archive/sealed/sealed-query.ts";
import { readImportRecord, toPost } from "../../src/ingest/import/record.ts";
import {
  type IdRange,
  idTimeMs,
  lastId,
  lowestId,
  type TimeSkew,
  windowIds,
} from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";
import { decodeRecord } from "../../src/posts/record.ts";
import { indexTerms } from "../../src/posts/terms.ts";
import { type FormsQuery, queryBoth } from "../../testkit/archives/query-both.ts";
import {
  type IndexedPost,
  inOneStatement,
  type SegmentForms,
  segmentForms,
  segmentFormsFromFile,
} from "../../testkit/archives/segment-forms.ts";
import { smallArchive } from "../../testkit/archives/small-archive.ts";
import { writeDelta } from "../../testkit/archives/write-delta.ts";
import {
  drawTree,
  printTree,
  type Random,
  smallerTrees,
  type TreeVocabulary,
} from "../../testkit/data/random-trees.ts";
import { testSeed } from "../../testkit/seed.ts";

/**
 * Searches random trees in both indexes of one segment. EARSHOT_TEST_TREES sets their number and adds 600,000 real posts.
 */
const requested = process.env.EARSHOT_TEST_TREES;
const trees = Number(requested ?? 3_000);
const seed = testSeed(20_261_101);
const usesRealPosts = requested !== undefined && hasRealPosts();
const skipped = usesRealPosts
  ? ""
  : " (skipped: needs EARSHOT_TEST_TREES=100000 and the posts on this machine)";

const setupMs = 3_600_000;
const postsPerBatch = 5_000;
const nowMs = Date.UTC(2026, 0, 1);

describe("150,000 generated posts", () => {
  const generated = [...generatedPosts(150_000)];
  compareIndexes(
    () => segmentForms(generated, inOneStatement),
    { minMs: 0, maxMs: 0 },
    () => generated.map(({ terms }) => terms),
  );
});

describe.skipIf(!usesRealPosts)(`600,000 real posts${skipped}`, () => {
  const archive = smallArchive(1_000_000);
  let skew: TimeSkew = { minMs: 0, maxMs: 0 };
  let path = "";

  beforeAll(async () => {
    let batch: Post[] = [];
    for await (const line of iraPosts()) {
      batch.push(toPost(readImportRecord(toRecord(line)), "x", nowMs));
      if (batch.length < postsPerBatch) continue;
      archive.put(...batch);
      batch = [];
    }
    archive.put(...batch);
    const catalog = openCatalog(archive.folder);
    const [entry] = readSegments(catalog);
    catalog.close();
    if (entry === undefined) throw new Error("the archive has no segment");
    skew = entry.skew;
    path = segmentPath(archive.folder, entry);
  }, setupMs);
  afterAll(() => archive.remove());

  compareIndexes(
    () => segmentFormsFromFile(path),
    () => skew,
    (plain) => rowTexts(plain),
  );
});

function compareIndexes(
  open: () => SegmentForms,
  skewOf: TimeSkew | (() => TimeSkew),
  textsOf: (plain: DatabaseSync) => readonly string[],
): void {
  let forms: SegmentForms;
  let samples: Samples;
  const skew = (): TimeSkew => (typeof skewOf === "function" ? skewOf() : skewOf);

  beforeAll(() => {
    console.log(`EARSHOT_TEST_SEED=${seed}`);
    forms = open();
    samples = forms.inspect((plain) => readSamples(plain, textsOf(plain)));
  }, setupMs);
  afterAll(() => forms.remove());

  const third = Math.ceil(trees / 3);
  const timeout = 120_000 + trees * 200;

  test(`${third} query trees have the same results in a sealed segment`, { timeout }, () => {
    requestTrees(forms, samples, skew(), seed, third);
  });

  test(`${third} query trees have the same results with a tenth of the posts written since sealing`, {
    timeout,
  }, () => {
    writeDelta(forms, samples.ids, samples.texts, seededRandom(seed));
    requestTrees(forms, samples, skew(), seed + 1, third);
  });

  test(`${third} query trees have the same results after resealing and further writes`, {
    timeout,
  }, () => {
    forms.reseal();
    requestTrees(forms, samples, skew(), seed + 2, Math.ceil(third / 2));
    writeDelta(forms, samples.ids, samples.texts, seededRandom(seed + 1));
    requestTrees(forms, samples, skew(), seed + 3, Math.ceil(third / 2));
  });
}

type Samples = { ids: BigInt64Array; texts: readonly string[]; words: TreeVocabulary };

/** Numbers of posts per term at which its representation changes. */
const classBounds = [1, 2, 65, 1_000, 8_193, 40_000];
const wordsPerClass = 400;
const maxTexts = 4_000;

function readSamples(plain: DatabaseSync, texts: readonly string[]): Samples {
  const random = seededRandom(seed);
  const read = plain.prepare("SELECT id FROM post ORDER BY id");
  read.setReadBigInts(true);
  const ids = BigInt64Array.from(read.all().map(({ id }) => id as bigint));
  plain.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, term, row)");
  const classes = classBounds.map((min, index) => {
    const max = classBounds[index + 1] ?? Number.MAX_SAFE_INTEGER;
    const found = plain
      .prepare("SELECT term FROM temp.vocabulary WHERE doc >= ? AND doc < ?")
      .all(min, max)
      .map(({ term }) => String(term));
    return drawSample(found, wordsPerClass, random);
  });
  const sampledTexts = drawSample(texts, maxTexts, random);
  return { ids, texts: sampledTexts, words: { classes, texts: sampledTexts.flatMap(readRuns) } };
}

const drawSample = <Item>(items: readonly Item[], max: number, random: Random): Item[] =>
  items.length <= max
    ? [...items]
    : Array.from({ length: max }, () => items[Math.floor(random() * items.length)] as Item);

function readRuns(text: string): string[][] {
  const runs: string[][] = [[]];
  for (const token of text.split(" ")) {
    if (isPositionalTerm(token)) runs.at(-1)?.push(token);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function rowTexts(plain: DatabaseSync): string[] {
  const read = plain.prepare(
    "SELECT id, time_ms, record FROM post WHERE id % 100 = 7 OR id % 97 = 1",
  );
  read.setReadBigInts(true);
  const counts = { likes: null, reposts: null, replies: null, quotes: null };
  return read.all().map(({ id, time_ms, record }) =>
    indexTerms(
      decodeRecord({
        id: id as bigint,
        platform: "x",
        timeMs: Number(time_ms),
        counts,
        record: String(record),
      }),
    ).join(" "),
  );
}

function requestTrees(
  forms: SegmentForms,
  { ids, words }: Samples,
  skew: TimeSkew,
  from: number,
  count: number,
): void {
  const random = seededRandom(from);
  const totals = { searched: 0, found: 0, counted: 0 };
  for (let number = 0; number < count; number++) {
    const query = drawQuery(words, ids, skew, random);
    const answers = queryBoth(forms, query);
    if (answers === null) continue;
    totals.searched += 1;
    if (answers.found > 0) totals.found += 1;
    if (query.limit === null) totals.counted += 1;
    if (totals.searched % 5_000 === 0)
      console.log(`${totals.searched} searched, ${totals.found} found posts`);
    if (answers.plain !== answers.sealed) throw new Error(report(forms, query, number));
  }
  console.log(
    `${totals.searched} searched, ${totals.found} found posts, ${totals.counted} counted them`,
  );
  expect(totals.found / totals.searched).toBeGreaterThan(0.4);
  expect(totals.counted / totals.searched).toBeGreaterThan(0.05);
}

function drawQuery(
  words: TreeVocabulary,
  ids: BigInt64Array,
  skew: TimeSkew,
  random: Random,
): FormsQuery {
  const plan = drawTree(words, random, Math.floor(random() * 5));
  const limit = random() < 0.15 ? null : pickOne([1, 2, 10, 100, 101, 500], random);
  const index = Math.floor(random() * ids.length);
  // FTS5 counts wide ranges slowly.
  const width = Math.floor(ids.length ** (random() < 0.2 ? 1 : random()));
  const range = drawRange(idNear(ids, index, random), idNear(ids, index + width, random), random());
  const isTimed = limit !== null && random() < 0.15;
  const fromMs = isTimed ? idTimeMs(range.low) + Math.floor(random() * 2_000) : null;
  const toMs = isTimed ? idTimeMs(range.high) - Math.floor(random() * 2_000) : null;
  return {
    plan,
    range: isTimed ? windowIds(fromMs, toMs, skew) : range,
    fromMs,
    toMs,
    skew,
    limit,
    widthMs: pickOne([60_000, 3_600_000, 86_400_000], random),
  };
}

const idNear = (ids: BigInt64Array, index: number, random: Random): bigint =>
  (ids[Math.min(index, ids.length - 1)] ?? 0n) + BigInt(Math.floor(random() * 3) - 1);

function drawRange(low: bigint, high: bigint, kind: number): IdRange {
  if (kind < 0.15) return { low: 0n, high: lastId };
  if (kind < 0.3) return { low: 0n, high };
  return kind < 0.4 ? { low, high: lastId } : { low, high };
}

const pickOne = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)] as Item;

function report(forms: SegmentForms, query: FormsQuery, number: number): string {
  const differs = (plan: PlanNode): boolean => {
    try {
      const answers = queryBoth(forms, { ...query, plan });
      return answers !== null && answers.plain !== answers.sealed;
    } catch {
      return false;
    }
  };
  let { plan } = query;
  for (let smaller: PlanNode | undefined = plan; smaller !== undefined; ) {
    plan = smaller;
    smaller = smallerTrees(plan).find(differs);
  }
  const { plan: _, ...rest } = query;
  const answers = queryBoth(forms, { ...query, plan });
  return [
    `tree ${number} of EARSHOT_TEST_SEED=${seed} differs: ${printTree(query.plan)}`,
    `smallest: ${printTree(plan)}`,
    JSON.stringify(rest, (_key, value) => (typeof value === "bigint" ? String(value) : value)),
    `FTS5:   ${answers?.plain.slice(0, 2_000)}`,
    `sealed: ${answers?.sealed.slice(0, 2_000)}`,
  ].join("\n");
}

/** Posts with Zipf-distributed words, some repeated, and with facets. */
function* generatedPosts(count: number): Generator<IndexedPost> {
  const random = seededRandom(seed);
  const startMs = Date.UTC(2026, 0, 1);
  const word = (): string => {
    const rank = Math.floor(40_000 ** random());
    return `${["", "a", "ba", "url:c", "東", "é"][rank % 6]}w${rank}`;
  };
  for (let number = 0; number < count; number++) {
    const length = random() < 0.002 ? 250 + Math.floor(random() * 60) : Math.floor(random() * 14);
    const text = Array.from({ length }, word);
    if (random() < 0.1) text.push("|", word(), word());
    const facets = [
      `from:x/${Math.floor(3_000 * random() ** 3)}`,
      `lang:${number % 7 < 4 ? "en" : "ru"}`,
    ];
    if (random() < 0.02) facets.push("has:link");
    const timeMs = startMs + number * 1_000 + Math.floor(random() * 900);
    yield {
      id: lowestId(timeMs) + BigInt(number % 1_000),
      timeMs,
      terms: [...text, "|", "is:post", ...facets].join(" "),
    };
  }
}
