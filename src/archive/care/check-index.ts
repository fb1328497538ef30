import type { DatabaseSync } from "node:sqlite";
import { countThresholds } from "../../posts/terms.ts";
import { countMetrics } from "../../query/tree.ts";
import { atLeast } from "../../text/facets.ts";
import type { SegmentEntry } from "../catalog.ts";
import type { FindingKind, Findings } from "./findings.ts";
import {
  type IndexSums,
  indexSums,
  partitionOf,
  type TokenSums,
  tokenSumsSql,
} from "./index-sums.ts";
import { indexTokens } from "./index-tokens.ts";
import { rowsOf, type SegmentRow } from "./segment-rows.ts";

type IndexedSegment = { entry: SegmentEntry; database: DatabaseSync };

/** Compares a segment's index with what its rows say that it holds. */
export type IndexCheck = {
  /** Takes a row, lowest IDs first. */
  add(row: SegmentRow): void;
  /** Ends the comparison, when all rows were given. Yields now and then. */
  end(): Generator<number, void>;
  compared(): number;
};

type Report = (kind: FindingKind, id: bigint | null, message: string) => void;

function reporter({ entry }: IndexedSegment, findings: Findings): Report {
  const segment = `${entry.platform}/${entry.sequence}`;
  return (kind, id, message) =>
    findings.add({
      kind,
      segment,
      platform: entry.platform,
      id,
      message: `segment ${segment}: ${message}`,
    });
}

/** That exactly the posts of the segment have an entry in the index, whatever it says. */
export function checkIndexedPosts(segment: IndexedSegment, findings: Findings): void {
  const report = reporter(segment, findings);
  const ids = (sql: string): bigint[] => {
    const statement = segment.database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all().map(({ id }) => id as bigint);
  };
  const without = (a: string, b: string): bigint[] =>
    ids(`SELECT id FROM ${a} WHERE NOT EXISTS (SELECT 1 FROM ${b} WHERE ${b}.id = ${a}.id)`);
  for (const id of without("post", "term_docsize")) {
    report("index_lacks", id, `post ${id} is not in the index`);
  }
  for (const id of without("term_docsize", "post")) {
    report("index_exceeds", id, `the index has post ${id}, which is not held`);
  }
}

/**
 * Looks some posts up in the index, `sampleRows` of a segment, evenly spread: whether it finds them by each of their tokens,
 * has as many tokens of them as they have, and no count that they have not. Where tokens stand is not compared.
 */
export function sampleIndex(
  segment: IndexedSegment,
  posts: number,
  sampleRows: number,
  findings: Findings,
): IndexCheck {
  const { database } = segment;
  const report = reporter(segment, findings);
  const has = database.prepare("SELECT 1 FROM term WHERE term MATCH ? AND rowid = ?");
  const size = database.prepare("SELECT sz FROM term_docsize WHERE id = ?");
  const stride = Math.max(1, Math.ceil(posts / sampleRows));
  const finds = (token: string, id: bigint): boolean =>
    has.get(`"${token.replaceAll('"', '""')}"`, id) !== undefined;
  let seen = 0;
  let compared = 0;

  function compare(row: SegmentRow): void {
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
  }

  return {
    add: (row) => {
      seen += 1;
      if ((seen - 1) % stride !== 0) return;
      compared += 1;
      compare(row);
    },
    end: function* () {},
    compared: () => compared,
  };
}

const countFacets = countMetrics.flatMap((metric) =>
  countThresholds.map((threshold) => atLeast(metric, threshold)),
);

/** A number as SQLite packs it: seven bits a byte, the highest first. */
function firstVarint(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return value;
}

/** Places of tokens that are held in memory to name the posts that differ. */
const placesToName = 2_000_000;
/** Tokens between two turns. */
const tokensOfTurn = 20_000;

/** Compares every place of every token. Memory is bounded: sums of partitions are compared first. */
export function compareIndex(segment: IndexedSegment, findings: Findings): IndexCheck {
  const { database } = segment;
  const expected = indexSums();
  let compared = 0;
  return {
    add: (row) => {
      compared += 1;
      for (const [place, token] of indexTokens(row).entries()) expected.add(token, row.id, place);
    },
    end: function* () {
      database.exec(`
        CREATE VIRTUAL TABLE temp.place USING fts5vocab(main, term, instance);
        CREATE VIRTUAL TABLE temp.token USING fts5vocab(main, term, row);
      `);
      const held = yield* heldSums(database);
      const differing = expected.differences(held);
      const chosen = new Set<number>();
      let places = 0;
      for (const partition of differing) {
        places += expected.places(partition) + held.places(partition);
        if (chosen.size > 0 && places > placesToName) break;
        chosen.add(partition);
      }
      if (chosen.size > 0) yield* nameDifferences(segment, chosen, reporter(segment, findings));
    },
    compared: () => compared,
  };
}

function* heldSums(database: DatabaseSync): Generator<number, IndexSums> {
  const sums = indexSums();
  const statement = database.prepare(tokenSumsSql("temp.place"));
  statement.setReturnArrays(true);
  let tokens = 0;
  for (const row of statement.iterate()) {
    const [token, ...tokenSums] = row as unknown as [string, ...TokenSums];
    sums.addToken(token, tokenSums as unknown as TokenSums);
    tokens += 1;
    if (tokens % tokensOfTurn === 0) yield 0;
  }
  return sums;
}

/** Where a token stands in posts, lowest IDs first. */
type Places = { ids: bigint[]; offsets: number[] };

/** Names the posts that differ in the tokens of some partitions. */
function* nameDifferences(
  { entry, database }: IndexedSegment,
  partitions: ReadonlySet<number>,
  report: Report,
): Generator<number, void> {
  const expected = new Map<string, Places>();
  const placesOf = (token: string): Places => {
    const places = expected.get(token) ?? { ids: [], offsets: [] };
    expected.set(token, places);
    return places;
  };
  let rows = 0;
  for (const row of rowsOf(database, entry.platform)) {
    rows += 1;
    if (rows % 500 === 0) yield 0;
    for (const [place, token] of indexTokens(row).entries()) {
      if (!partitions.has(partitionOf(token))) continue;
      const { ids, offsets } = placesOf(token);
      ids.push(row.id);
      offsets.push(place);
    }
  }
  for (const { term } of database.prepare("SELECT term FROM temp.token").iterate()) {
    if (partitions.has(partitionOf(String(term)))) placesOf(String(term));
  }
  const lacking = new Map<bigint, Set<string>>();
  const exceeding = new Map<bigint, Set<string>>();
  const held = database.prepare("SELECT doc, offset FROM temp.place WHERE term = ?");
  held.setReadBigInts(true);
  for (const [token, places] of expected) {
    const inIndex = held
      .all(token)
      .map(({ doc, offset }) => ({ id: doc as bigint, place: Number(offset) }));
    for (const id of differing(places, inIndex)) note(lacking, id, token);
    const asIndexed = {
      ids: inIndex.map(({ id }) => id),
      offsets: inIndex.map(({ place }) => place),
    };
    const asExpected = places.ids.map((id, index) => ({ id, place: places.offsets[index] ?? 0 }));
    for (const id of differing(asIndexed, asExpected)) note(exceeding, id, token);
    yield 0;
  }
  for (const [id, tokens] of lacking) report("index_lacks", id, lackingText(id, [...tokens]));
  for (const [id, tokens] of exceeding) report("index_exceeds", id, exceedingText(id, [...tokens]));
}

function note(of: Map<bigint, Set<string>>, id: bigint, token: string): void {
  const tokens = of.get(id) ?? new Set();
  tokens.add(token);
  of.set(id, tokens);
}

/** The posts that have a place among `places` which is not among `others`. */
function differing(places: Places, others: readonly { id: bigint; place: number }[]): Set<bigint> {
  const known = new Set(others.map(({ id, place }) => `${id} ${place}`));
  return new Set(places.ids.filter((id, index) => !known.has(`${id} ${places.offsets[index]}`)));
}

const shownTokens = 5;

const lackingText = (id: bigint, tokens: readonly string[]): string =>
  `the index does not find post ${id} by ${listed(tokens)}`;

const exceedingText = (id: bigint, tokens: readonly string[]): string =>
  `the index finds post ${id} by ${listed(tokens)}, which is not in it`;

function listed(tokens: readonly string[]): string {
  const shown = tokens.slice(0, shownTokens).map((token) => JSON.stringify(token));
  const more = tokens.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
