import type { DatabaseSync } from "node:sqlite";
import { atLeast } from "@earshot/query/facets";
import { countMetrics } from "@earshot/query/tree";
import { countThresholds } from "../../posts/terms.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { holdsPositions } from "../sealed/positional-terms.ts";
import {
  addLocation,
  exceedingText,
  type IndexLocations,
  lackingText,
  locationsOf,
  type Report,
  reportDifferences,
} from "./index-findings.ts";
import {
  type IndexSums,
  indexSums,
  partitionOf,
  type TokenSums,
  tokenSumsSql,
} from "./index-sums.ts";
import { indexTokens } from "./index-tokens.ts";
import type { SealedNumbers } from "./sealed-numbers.ts";
import { addSealedSums, sealedPositions } from "./sealed-positions.ts";
import { walkSealedTerms } from "./sealed-terms.ts";
import { rowsOf, type SegmentRow } from "./segment-rows.ts";

export type IndexedSegment = {
  entry: SegmentEntry;
  database: DatabaseSync;
  sealed: SealedNumbers | null;
};

export type IndexCheck = {
  add(row: SegmentRow): void;
  /** Finishes the comparison after all rows. Yields regularly. */
  end(): Generator<number, void>;
  compared(): number;
};

/**
 * Compares the entries of `sampleRows` evenly spread posts. FTS5 must find each token, store the number of tokens, and have
 * no extra count facet; its positions are not compared. The sealed index is read as a whole: malformed data is reported, and
 * all entries of these posts are compared.
 */
export function sampleIndex(
  segment: IndexedSegment,
  posts: number,
  sampleRows: number,
  report: Report,
): IndexCheck {
  const { database, sealed } = segment;
  const stride = Math.max(1, Math.ceil(posts / sampleRows));
  const compareWritten = writtenComparison(database, report);
  const expected: IndexLocations = new Map();
  const sampled = new Uint8Array(sealed?.posts ?? 0);
  let seen = 0;
  let compared = 0;
  return {
    add: (row) => {
      seen += 1;
      if ((seen - 1) % stride !== 0) return;
      compared += 1;
      const number = sealedNumber(sealed, row.id);
      if (number === null) {
        compareWritten(row);
        return;
      }
      sampled[number] = 1;
      eachPlace(row, true, (token, place) => addLocation(expected, token, row.id, place));
    },
    end: function* () {
      if (sealed === null) return;
      const held: IndexLocations = new Map();
      const collect = sealedPositions(sealed, held, (number) => sampled[number] === 1);
      yield* walkSealedTerms(database, sealed.posts, indexErrorsOf(report), collect);
      yield* reportDifferences(expected, held, report);
    },
    compared: () => compared,
  };
}

export const indexErrorsOf =
  (report: Report): ((message: string) => void) =>
  (message) =>
    report("sealed_damaged", null, `its sealed index is damaged: ${message}`);

/** A post's doc number in the sealed index; null if replaced. */
function sealedNumber(sealed: SealedNumbers | null, id: bigint): number | null {
  const number = sealed?.numberOf(id) ?? null;
  return number === null || sealed?.isReplaced(number) ? null : number;
}

/** Tokens without positions in the sealed index count as position 0. */
function eachPlace(
  row: SegmentRow,
  isSealed: boolean,
  take: (token: string, place: number) => void,
): void {
  const tokens = indexTokens(row);
  if (!isSealed) {
    for (const [place, token] of tokens.entries()) take(token, place);
    return;
  }
  const withoutPlaces = new Set<string>();
  for (const [place, token] of tokens.entries()) {
    if (holdsPositions(token)) take(token, place);
    else withoutPlaces.add(token);
  }
  for (const token of withoutPlaces) take(token, 0);
}

function writtenComparison(database: DatabaseSync, report: Report): (row: SegmentRow) => void {
  const has = database.prepare("SELECT 1 FROM term WHERE term MATCH ? AND rowid = ?");
  const size = database.prepare("SELECT sz FROM term_docsize WHERE id = ?");
  const finds = (token: string, id: bigint): boolean =>
    has.get(`"${token.replaceAll('"', '""')}"`, id) !== undefined;

  return (row) => {
    const { id } = row;
    const held = size.get(id)?.sz;
    // A post without any entry is reported as such.
    if (!(held instanceof Uint8Array)) return;
    const tokens = indexTokens(row);
    const distinct = new Set(tokens);
    const lacking = [...distinct].filter((token) => !finds(token, id));
    if (lacking.length > 0) report("index_lacks", id, lackingText(id, lacking));
    const wrong = countFacets.filter((facet) => !distinct.has(facet) && finds(facet, id));
    if (wrong.length > 0) report("index_exceeds", id, exceedingText(id, wrong));
    const said = firstVarint(held);
    if (said !== tokens.length) {
      const kind = said < tokens.length ? "index_lacks" : "index_exceeds";
      report(kind, id, `the index has ${said} tokens of post ${id}, which has ${tokens.length}`);
    }
  };
}

const countFacets = countMetrics.flatMap((metric) =>
  countThresholds.map((threshold) => atLeast(metric, threshold)),
);

/** An SQLite varint: seven bits per byte, highest first. */
function firstVarint(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return value;
}

/** Token positions kept in memory to name the posts that differ. */
const placesToName = 2_000_000;
const tokensOfTurn = 20_000;

/** Compares every position of every token. Bounds memory by comparing sums of partitions first. */
export function compareIndex(segment: IndexedSegment, report: Report): IndexCheck {
  const { database, sealed } = segment;
  const expected = indexSums();
  let compared = 0;
  return {
    add: (row) => {
      compared += 1;
      const isSealed = sealedNumber(sealed, row.id) !== null;
      eachPlace(row, isSealed, (token, place) => expected.add(token, row.id, place));
    },
    end: function* () {
      const held = indexSums();
      // First, because FTS5 refuses to read a file with any damaged page.
      if (sealed !== null) {
        const add = addSealedSums(sealed, held);
        yield* walkSealedTerms(database, sealed.posts, indexErrorsOf(report), add);
      }
      database.exec(`
        CREATE VIRTUAL TABLE temp.place USING fts5vocab(main, term, instance);
        CREATE VIRTUAL TABLE temp.token USING fts5vocab(main, term, row);
      `);
      yield* addWrittenSums(database, held);
      const differing = expected.differences(held);
      const chosen = new Set<number>();
      let places = 0;
      for (const partition of differing) {
        places += expected.places(partition) + held.places(partition);
        if (chosen.size > 0 && places > placesToName) break;
        chosen.add(partition);
      }
      if (chosen.size > 0) yield* nameDifferences(segment, chosen, report);
    },
    compared: () => compared,
  };
}

function* addWrittenSums(database: DatabaseSync, sums: IndexSums): Generator<number, void> {
  const statement = database.prepare(tokenSumsSql("temp.place"));
  statement.setReturnArrays(true);
  let tokens = 0;
  for (const row of statement.iterate()) {
    const [token, ...tokenSums] = row as unknown as [string, ...TokenSums];
    sums.addToken(token, tokenSums as unknown as TokenSums);
    tokens += 1;
    if (tokens % tokensOfTurn === 0) yield 0;
  }
}

function* nameDifferences(
  { entry, database, sealed }: IndexedSegment,
  partitions: ReadonlySet<number>,
  report: Report,
): Generator<number, void> {
  const isWanted = (token: string): boolean => partitions.has(partitionOf(token));
  const expected: IndexLocations = new Map();
  let rows = 0;
  for (const row of rowsOf(database, entry.platform)) {
    rows += 1;
    if (rows % 500 === 0) yield 0;
    eachPlace(row, sealedNumber(sealed, row.id) !== null, (token, place) => {
      if (isWanted(token)) addLocation(expected, token, row.id, place);
    });
  }
  const held: IndexLocations = new Map();
  yield* collectWritten(database, isWanted, held);
  if (sealed !== null) {
    const collect = sealedPositions(sealed, held, () => true);
    yield* walkSealedTerms(database, sealed.posts, alreadyTold, (term, postings) => {
      if (isWanted(term)) collect(term, postings);
    });
  }
  yield* reportDifferences(expected, held, report);
}

const alreadyTold = (): void => {};

function* collectWritten(
  database: DatabaseSync,
  isWanted: (token: string) => boolean,
  held: IndexLocations,
): Generator<number, void> {
  const places = database.prepare("SELECT doc, offset FROM temp.place WHERE term = ?");
  places.setReadBigInts(true);
  for (const { term } of database.prepare("SELECT term FROM temp.token").iterate()) {
    const token = String(term);
    if (!isWanted(token)) continue;
    const { ids, offsets } = locationsOf(held, token);
    for (const { doc, offset } of places.iterate(token)) {
      ids.push(doc as bigint);
      offsets.push(Number(offset));
    }
    yield 0;
  }
}
