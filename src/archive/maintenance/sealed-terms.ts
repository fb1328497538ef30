import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errorMessage } from "../../lib/errors.ts";
import { isDamage } from "../sealed/damage.ts";
import { chunkCount, maxInlinePosts, maxOneRowPosts, postsPerChunk } from "../sealed/format.ts";
import { isPositionalTerm } from "../sealed/sealed-query.ts";
import { createTermFilter, readTermFilter } from "../sealed/term-filter.ts";
import { type BoundedReader, byteReader, MalformedDataError } from "./sealed-bytes.ts";
import type { OnError } from "./sealed-doc-numbers.ts";
import { type CheckedPostings, type PostingsReader, postingsReader } from "./sealed-postings.ts";

const postingsPerStep = 100_000;

export function* walkSealedTerms(
  database: DatabaseSync,
  posts: number,
  onError: OnError,
  onTerm: (term: string, postings: CheckedPostings) => void,
): Generator<number, void> {
  const chunks = chunkCount(posts);
  const reader = postingsReader(posts);
  const rows = rowsIn(database);
  const filter = createTermFilter();
  let previous: Uint8Array = noBytes;
  let isComplete = true;
  let work = 0;

  function readTerm(term: string, isSingle: boolean, block: BoundedReader): void {
    const count = isSingle ? 1 : block.varint();
    if (count > posts || (count < 2 && !isSingle))
      throw new MalformedDataError(`term ${quote(term)} has ${count} posts`);
    const hasPositions = isPositionalTerm(term);
    reader.begin(hasPositions);
    work += count + 20;
    if (count <= maxInlinePosts) {
      reader.readInline(block, count);
      onTerm(term, reader.postings());
      return;
    }
    const row = block.varint();
    const counts = Array.from({ length: chunks }, () => block.varint());
    checkCounts(term, counts, count, posts);
    try {
      readRows({ reader, rows, row, counts, count, hasPositions });
    } catch (error) {
      if (!(error instanceof MalformedDataError)) throw error;
      onError(`term ${quote(term)}: ${error.message}`);
      return;
    }
    onTerm(term, reader.postings());
  }

  try {
    yield* walkBlocks();
  } catch (error) {
    reportDamage(error);
    return;
  }
  if (!isComplete) return;
  rows.checkAllRead(onError);
  // Checked last, so that a damaged filter does not hide damaged terms.
  try {
    const storedFilter = readTermFilter(database, posts);
    if (storedFilter !== null && Buffer.compare(storedFilter, filter.end()) !== 0)
      onError("its term filter does not match its terms");
  } catch (error) {
    reportDamage(error);
  }

  function reportDamage(error: unknown): void {
    if (!isDamage(error)) throw error;
    onError(errorMessage(error));
  }

  function* walkBlocks(): Generator<number, void> {
    for (const { first, block } of database
      .prepare("SELECT CAST(first AS BLOB) AS first, block FROM sealed_terms ORDER BY first")
      .iterate()) {
      try {
        if (!(block instanceof Uint8Array) || !(first instanceof Uint8Array))
          throw new MalformedDataError("it is not a blob");
        const entries = byteReader(block);
        for (let index = 0; index === 0 || !entries.isAtEnd(); index++) {
          const { bytes, isSingle } = readTermBytes(entries, index === 0 ? noBytes : previous);
          if (index === 0 && Buffer.compare(bytes, first) !== 0)
            throw new MalformedDataError("its first term differs from its key");
          if (Buffer.compare(previous, bytes) >= 0)
            throw new MalformedDataError("its terms are not in order");
          previous = bytes;
          filter.add({ bytes, length: bytes.length });
          readTerm(decodeTerm(bytes), isSingle, entries);
          if (work < postingsPerStep) continue;
          work = 0;
          yield 0;
        }
      } catch (error) {
        if (!(error instanceof MalformedDataError)) throw error;
        isComplete = false;
        const name = first instanceof Uint8Array ? Buffer.from(first).toString() : String(first);
        onError(
          `the block of terms that begins with ${quote(name)} cannot be read: ${error.message}`,
        );
      }
    }
  }
}

const noBytes = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const quote = (term: string): string => JSON.stringify(term);

function readTermBytes(
  block: BoundedReader,
  previous: Uint8Array,
): { bytes: Uint8Array; isSingle: boolean } {
  const sharedLength = block.varint();
  if (sharedLength > previous.length)
    throw new MalformedDataError("a term shares more bytes than its predecessor has");
  const header = block.varint();
  const suffix = block.bytes(Math.floor(header / 2));
  const bytes = new Uint8Array(sharedLength + suffix.length);
  bytes.set(previous.subarray(0, sharedLength));
  bytes.set(suffix, sharedLength);
  return { bytes, isSingle: header % 2 === 1 };
}

function decodeTerm(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedDataError("a term is not valid UTF-8");
  }
}

function checkCounts(term: string, counts: readonly number[], count: number, posts: number): void {
  const sum = counts.reduce((all, posts) => all + posts, 0);
  const hasTooMany = counts.some(
    (inChunk, chunk) => inChunk > Math.min(postsPerChunk, posts - chunk * postsPerChunk),
  );
  if (sum !== count || hasTooMany)
    throw new MalformedDataError(
      `term ${quote(term)} has ${count} posts, but its chunks have ${counts.join(", ")}`,
    );
}

type TermRows = {
  reader: PostingsReader;
  rows: SealedRows;
  row: number;
  counts: readonly number[];
  count: number;
  hasPositions: boolean;
};

function readRows({ reader, rows, row, counts, count, hasPositions }: TermRows): void {
  if (count <= maxOneRowPosts) {
    reader.readContainers(rows.docs(row), 0, counts);
    if (hasPositions) reader.readPositions(rows.positions(row), count);
    return;
  }
  for (const [chunk, posts] of counts.entries()) {
    if (posts === 0) continue;
    reader.readContainers(rows.docs(row + chunk), chunk, [posts]);
    if (hasPositions) reader.readPositions(rows.positions(row + chunk), posts);
  }
}

type SealedRows = {
  docs(row: number): Uint8Array;
  positions(row: number): Uint8Array;
  checkAllRead(onError: OnError): void;
};

function rowsIn(database: DatabaseSync): SealedRows {
  const docs = rowsOf(database, "sealed_docs", "docs");
  const positions = rowsOf(database, "sealed_positions", "positions");
  return {
    docs: docs.read,
    positions: positions.read,
    checkAllRead: (onError) => {
      for (const { table, unreadRows } of [docs, positions]) {
        for (const row of unreadRows()) onError(`row ${row} of ${table} belongs to no term`);
      }
    },
  };
}

function rowsOf(database: DatabaseSync, table: string, column: string) {
  const selectBytes: StatementSync = database.prepare(
    `SELECT ${column} AS bytes FROM ${table} WHERE row = ?`,
  );
  const seenRows = new Set<number>();
  return {
    table,
    read: (row: number): Uint8Array => {
      const bytes = selectBytes.get(row)?.bytes;
      if (!(bytes instanceof Uint8Array))
        throw new MalformedDataError(`row ${row} of ${table} is missing`);
      if (seenRows.has(row))
        throw new MalformedDataError(`row ${row} of ${table} belongs to another term`);
      seenRows.add(row);
      return bytes;
    },
    unreadRows: function* (): Generator<number> {
      const rowCount = Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
      if (rowCount === seenRows.size) return;
      for (const { row } of database.prepare(`SELECT row FROM ${table}`).iterate()) {
        if (!seenRows.has(Number(row))) yield Number(row);
      }
    },
  };
}
