import type { DatabaseSync } from "node:sqlite";
import { atLeast } from "@earshot/query/facets";
import { countMetrics } from "@earshot/query/tree";
import { countThresholds } from "../../posts/terms.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { isPositionalTerm } from "../sealed/sealed-query.ts";
import {
  addLocation,
  extraTokensText,
  type IndexLocations,
  missingTokensText,
  type Report,
  reportDifferences,
  termLocations,
} from "./index-findings.ts";
import {
  createIndexChecksums,
  type IndexChecksums,
  type TokenSums,
  tokenPartition,
  tokenSumsSql,
} from "./index-sums.ts";
import { indexTokens } from "./index-tokens.ts";
import type { SealedDocNumbers } from "./sealed-doc-numbers.ts";
import { addSealedSums, sealedPositionCollector } from "./sealed-positions.ts";
import { walkSealedTerms } from "./sealed-terms.ts";
import { readSegmentRows, type SegmentRow } from "./segment-rows.ts";

export type IndexedSegment = {
  entry: SegmentEntry;
  database: DatabaseSync;
  sealed: SealedDocNumbers | null;
};

export type IndexCheck = {
  add(row: SegmentRow): void;
  end(): Generator<number, void>;
  comparedCount(): number;
};

/**
 * Compares the index entries of about `sampleRows` evenly spread posts, in FTS5 without their
 * positions. Reads the whole sealed index.
 */
export function sampleIndex(
  segment: IndexedSegment,
  posts: number,
  sampleRows: number,
  report: Report,
): IndexCheck {
  const { database, sealed } = segment;
  const stride = Math.max(1, Math.ceil(posts / sampleRows));
  const compareWithFts = ftsComparison(database, report);
  const expectedLocations: IndexLocations = new Map();
  const isSampled = new Uint8Array(sealed?.posts ?? 0);
  let rows = 0;
  let comparedPosts = 0;
  return {
    add: (row) => {
      rows += 1;
      if ((rows - 1) % stride !== 0) return;
      comparedPosts += 1;
      const number = sealedDocNumber(sealed, row.id);
      if (number === null) {
        compareWithFts(row);
        return;
      }
      isSampled[number] = 1;
      eachPosition(row, true, (token, position) =>
        addLocation(expectedLocations, token, row.id, position),
      );
    },
    end: function* () {
      if (sealed === null) return;
      const storedLocations: IndexLocations = new Map();
      const collect = sealedPositionCollector(
        sealed,
        storedLocations,
        (number) => isSampled[number] === 1,
      );
      yield* walkSealedTerms(database, sealed.posts, indexErrorReporter(report), collect);
      yield* reportDifferences(expectedLocations, storedLocations, report);
    },
    comparedCount: () => comparedPosts,
  };
}

export const indexErrorReporter =
  (report: Report): ((message: string) => void) =>
  (message) =>
    report("sealed_damaged", null, `its sealed index is damaged: ${message}`);

function sealedDocNumber(sealed: SealedDocNumbers | null, id: bigint): number | null {
  const number = sealed?.findDocNumber(id) ?? null;
  return number === null || sealed?.isReplaced(number) ? null : number;
}

function eachPosition(
  row: SegmentRow,
  isSealed: boolean,
  onPosition: (token: string, position: number) => void,
): void {
  const tokens = indexTokens(row);
  if (!isSealed) {
    for (const [position, token] of tokens.entries()) onPosition(token, position);
    return;
  }
  const withoutPositions = new Set<string>();
  for (const [position, token] of tokens.entries()) {
    if (isPositionalTerm(token)) onPosition(token, position);
    else withoutPositions.add(token);
  }
  for (const token of withoutPositions) onPosition(token, 0);
}

function ftsComparison(database: DatabaseSync, report: Report): (row: SegmentRow) => void {
  const selectMatch = database.prepare("SELECT 1 FROM term WHERE term MATCH ? AND rowid = ?");
  const selectSize = database.prepare("SELECT sz FROM term_docsize WHERE id = ?");
  const finds = (token: string, id: bigint): boolean =>
    selectMatch.get(`"${token.replaceAll('"', '""')}"`, id) !== undefined;

  return (row) => {
    const { id } = row;
    const storedSize = selectSize.get(id)?.sz;
    if (!(storedSize instanceof Uint8Array)) return;
    const tokens = indexTokens(row);
    const distinctTokens = new Set(tokens);
    const missingTokens = [...distinctTokens].filter((token) => !finds(token, id));
    if (missingTokens.length > 0) report("index_lacks", id, missingTokensText(id, missingTokens));
    const extraFacets = countFacets.filter(
      (facet) => !distinctTokens.has(facet) && finds(facet, id),
    );
    if (extraFacets.length > 0) report("index_exceeds", id, extraTokensText(id, extraFacets));
    const storedCount = firstVarint(storedSize);
    if (storedCount !== tokens.length) {
      const kind = storedCount < tokens.length ? "index_lacks" : "index_exceeds";
      report(
        kind,
        id,
        `the index has ${storedCount} tokens for post ${id}, which has ${tokens.length}`,
      );
    }
  };
}

const countFacets = countMetrics.flatMap((metric) =>
  countThresholds.map((threshold) => atLeast(metric, threshold)),
);

function firstVarint(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return value;
}

/**
 * Maximum number of positions in memory to name differing posts; a single partition may exceed it.
 */
const maxPositionsInMemory = 2_000_000;
const tokensPerStep = 20_000;

/**
 * Compares every position of every token. Compares the sums of partitions first, to limit memory.
 */
export function compareIndex(segment: IndexedSegment, report: Report): IndexCheck {
  const { database, sealed } = segment;
  const expectedChecksums = createIndexChecksums();
  let comparedPosts = 0;
  return {
    add: (row) => {
      comparedPosts += 1;
      const isSealed = sealedDocNumber(sealed, row.id) !== null;
      eachPosition(row, isSealed, (token, position) =>
        expectedChecksums.add(token, row.id, position),
      );
    },
    end: function* () {
      const storedChecksums = createIndexChecksums();
      // Read first, because FTS5 refuses to read a file with any damaged page.
      if (sealed !== null) {
        const add = addSealedSums(sealed, storedChecksums);
        yield* walkSealedTerms(database, sealed.posts, indexErrorReporter(report), add);
      }
      database.exec(`
        CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, term, instance);
        CREATE VIRTUAL TABLE temp.token USING fts5vocab(main, term, row);
      `);
      yield* addFtsSums(database, storedChecksums);
      const differingPartitions = expectedChecksums.differences(storedChecksums);
      const chosenPartitions = new Set<number>();
      let positions = 0;
      for (const partition of differingPartitions) {
        positions +=
          expectedChecksums.positionCount(partition) + storedChecksums.positionCount(partition);
        if (chosenPartitions.size > 0 && positions > maxPositionsInMemory) break;
        chosenPartitions.add(partition);
      }
      if (chosenPartitions.size > 0) yield* nameDifferences(segment, chosenPartitions, report);
    },
    comparedCount: () => comparedPosts,
  };
}

function* addFtsSums(database: DatabaseSync, sums: IndexChecksums): Generator<number, void> {
  const statement = database.prepare(tokenSumsSql("temp.instance"));
  statement.setReturnArrays(true);
  let tokens = 0;
  for (const row of statement.iterate()) {
    const [token, ...tokenSums] = row as unknown as [string, ...TokenSums];
    sums.addToken(token, tokenSums as unknown as TokenSums);
    tokens += 1;
    if (tokens % tokensPerStep === 0) yield 0;
  }
}

function* nameDifferences(
  { entry, database, sealed }: IndexedSegment,
  partitions: ReadonlySet<number>,
  report: Report,
): Generator<number, void> {
  const isChosen = (token: string): boolean => partitions.has(tokenPartition(token));
  const expectedLocations: IndexLocations = new Map();
  let rows = 0;
  for (const row of readSegmentRows(database, entry.platform)) {
    rows += 1;
    if (rows % 500 === 0) yield 0;
    eachPosition(row, sealedDocNumber(sealed, row.id) !== null, (token, position) => {
      if (isChosen(token)) addLocation(expectedLocations, token, row.id, position);
    });
  }
  const storedLocations: IndexLocations = new Map();
  yield* collectFtsPositions(database, isChosen, storedLocations);
  if (sealed !== null) {
    const collect = sealedPositionCollector(sealed, storedLocations, () => true);
    yield* walkSealedTerms(database, sealed.posts, ignoreError, (term, postings) => {
      if (isChosen(term)) collect(term, postings);
    });
  }
  yield* reportDifferences(expectedLocations, storedLocations, report);
}

const ignoreError = (): void => {};

function* collectFtsPositions(
  database: DatabaseSync,
  isChosen: (token: string) => boolean,
  storedLocations: IndexLocations,
): Generator<number, void> {
  const selectPositions = database.prepare("SELECT doc, offset FROM temp.instance WHERE term = ?");
  selectPositions.setReadBigInts(true);
  for (const { term } of database.prepare("SELECT term FROM temp.token").iterate()) {
    const token = String(term);
    if (!isChosen(token)) continue;
    const { ids, offsets } = termLocations(storedLocations, token);
    for (const { doc, offset } of selectPositions.iterate(token)) {
      ids.push(doc as bigint);
      offsets.push(Number(offset));
    }
    yield 0;
  }
}
