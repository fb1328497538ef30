import type { DatabaseSync } from "node:sqlite";
import { headerChecksum, sealedRowChecksum } from "./checksums.ts";
import { SealedDamageError } from "./damage.ts";
import { writeEmptyBitmap } from "./deletion-bitmap.ts";
import { createDictionaryWriter } from "./dictionary-writer.ts";
import { createDocNumberLookup } from "./doc-number-lookup.ts";
import { chunkCount, idsPerPage, maxInlinePosts, sealedFormat } from "./format.ts";
import { ftsSources } from "./fts-source.ts";
import { unreadableFts } from "./fts-structure.ts";
import { assertTally, readTally, type Tally } from "./fts-tally.ts";
import { type IndexCounts, indexCountError } from "./index-counts.ts";
import { type MergedTerms, mergeTerms } from "./merged-terms.ts";
import { createPostingWriter } from "./posting-writer.ts";
import { createPostings } from "./postings.ts";
import { sealedSource } from "./sealed-source.ts";
import { createTermFilter, writeTermFilter } from "./term-filter.ts";
import type { TermSource } from "./term-source.ts";

const postingsPerStep = 10_000;
const termCost = 8;

/**
 * Fills the empty sealed tables of `target` from both indexes of `source`, without replaced posts.
 * `ids` must be newest first, each in exactly one index. `source` must be on one snapshot and
 * `target` in one transaction throughout. Errors: `SealedDamageError`, `UnreadableFtsError`,
 * and `archive_damaged` for a post missing from `ids`.
 */
export function* buildSealed(
  source: DatabaseSync,
  target: DatabaseSync,
  ids: BigInt64Array,
  sealedMs: number,
): Generator<"worked", void> {
  const lookup = yield* createDocNumberLookup(ids);
  const pages = yield* writeIds(target, ids);
  const sources: TermSource[] = [];
  let first: Uint8Array | null = null;
  try {
    const indexCounts: IndexCounts = new Uint8Array(ids.length);
    const sealedTerms = yield* sealedSource(source, lookup, indexCounts);
    if (sealedTerms !== null) sources.push(sealedTerms);
    const recordedTally = yield* readTally(source, lookup, indexCounts);
    const error = indexCountError(indexCounts);
    if (error !== null)
      throw sealedTerms === null ? unreadableFts(error) : new SealedDamageError(error);
    const tally: Tally = { terms: 0, hash: 0 };
    sources.push(...(yield* ftsSources(source, ids.length, lookup, tally)));
    first = yield* writeTerms(target, ids.length, mergeTerms(sources, createPostings()));
    assertTally(recordedTally, tally);
  } finally {
    for (const termSource of sources) termSource.close();
  }
  writeHeader(target, ids, { ...pages, first, sealedMs });
}

export function* buildSealedFromTerms(
  target: DatabaseSync,
  ids: BigInt64Array,
  terms: MergedTerms,
  sealedMs: number,
): Generator<"worked", void> {
  const pages = yield* writeIds(target, ids);
  const first = yield* writeTerms(target, ids.length, terms);
  writeHeader(target, ids, { ...pages, first, sealedMs });
}

function* writeTerms(
  target: DatabaseSync,
  posts: number,
  terms: MergedTerms,
): Generator<"worked", Uint8Array | null> {
  const dictionary = createDictionaryWriter(target);
  const writer = createPostingWriter(target, chunkCount(posts));
  const filter = createTermFilter();
  let work = 0;
  for (let term = terms.next(); term !== null; term = terms.next()) {
    while (!terms.take(postingsPerStep)) yield "worked";
    const { postings } = terms;
    if (postings.posts > 0) filter.add(term);
    const isPositional = terms.isPositional();
    if (postings.posts > maxInlinePosts) {
      if (postings.posts > postingsPerStep) yield "worked";
      const chunkCounts = writer.count(postings);
      const row = yield* writer.write(postings, isPositional);
      dictionary.addRows(term, postings.posts, row, chunkCounts);
    } else if (postings.posts > 0) {
      dictionary.addInline(term, postings, isPositional);
    }
    work += termCost + postings.posts + postings.positionCount;
    if (work < postingsPerStep) continue;
    work = 0;
    yield "worked";
  }
  writeTermFilter(target, posts, filter.end());
  return dictionary.end();
}

type Pages = { firstIds: Uint8Array; pageChecksums: Uint8Array };

function writeHeader(
  target: DatabaseSync,
  ids: BigInt64Array,
  { first, sealedMs, ...pages }: Pages & { first: Uint8Array | null; sealedMs: number },
): void {
  writeEmptyBitmap(target, ids.length);
  const header = { format: sealedFormat, posts: ids.length, sealedMs, ...pages, first };
  target
    .prepare("INSERT INTO sealed VALUES (?, ?, ?, coalesce(?, x''), coalesce(?, x''), ?, ?)")
    .run(
      header.format,
      header.posts,
      sealedMs,
      header.firstIds,
      header.pageChecksums,
      first,
      headerChecksum(header),
    );
}

const pagesPerStep = 256;

function* writeIds(target: DatabaseSync, ids: BigInt64Array): Generator<"worked", Pages> {
  const insert = target.prepare("INSERT INTO sealed_ids VALUES (?, ?)");
  const firstIds = new BigInt64Array(Math.ceil(ids.length / idsPerPage));
  const pageChecksums = new Uint32Array(firstIds.length);
  for (let page = 0; page < firstIds.length; page += 1) {
    const pageIds = ids.subarray(page * idsPerPage, (page + 1) * idsPerPage);
    firstIds[page] = pageIds[0] as bigint;
    const bytes = new Uint8Array(pageIds.buffer, pageIds.byteOffset, pageIds.byteLength);
    pageChecksums[page] = sealedRowChecksum("ids", page, bytes);
    insert.run(page, bytes);
    if (page % pagesPerStep === pagesPerStep - 1) yield "worked";
  }
  return {
    firstIds: new Uint8Array(firstIds.buffer),
    pageChecksums: new Uint8Array(pageChecksums.buffer),
  };
}
