import type { DatabaseSync } from "node:sqlite";
import { type Coverage, coverageErrorOf } from "./coverage.ts";
import { SealedDamage } from "./damage.ts";
import { writeEmptyMask } from "./deletion-bitmap.ts";
import { createDictionaryWriter } from "./dictionary-writer.ts";
import { createNumberLookup } from "./doc-number-lookup.ts";
import { chunksOf, idsOfPage, inlinePosts, sealedFormat } from "./format.ts";
import { ftsSources } from "./fts-source.ts";
import { unreadable } from "./fts-structure.ts";
import { assertTally, readTally, type Tally } from "./fts-tally.ts";
import { type MergedTerms, mergeTerms } from "./merged-terms.ts";
import { createPostingWriter } from "./posting-writer.ts";
import { createPostings } from "./postings.ts";
import { sealedSource } from "./sealed-source.ts";
import { headSum, rowSum } from "./sums.ts";
import type { TermSource } from "./term-source.ts";

/** Postings, and terms, after which the work rests: a few milliseconds. */
const postingsOfStep = 10_000;
const costOfTerm = 8;

/**
 * Fills the sealed tables of `target`, which are empty, from what `source` is found by: its FTS5 table and, where it is sealed,
 * its sealed index without the posts replaced there. Yields after some milliseconds of work.
 *
 * `ids`: the posts to number, newest first, each of which one of both answers for.
 * `source` stands on one read snapshot, and `target` in one transaction, from the first step to the last. The row of `sealed`
 * comes last. No post is replaced or hidden in it. Errors: those of SQLite, such as a full disk; `SealedDamage` where the sealed
 * index of `source` cannot be read, or some post is in both or in none; `UnreadableFts` where its FTS5 table cannot, does not
 * hold what it says, or lacks a post of a segment that is not sealed; `archive_damaged` where one of both answers for another post.
 */
export function* buildSealed(
  source: DatabaseSync,
  target: DatabaseSync,
  ids: BigInt64Array,
  sealedMs: number,
): Generator<"worked", void> {
  const lookup = yield* createNumberLookup(ids);
  const pages = yield* writeIds(target, ids);
  const sources: TermSource[] = [];
  let first: Uint8Array | null = null;
  try {
    const coverage: Coverage = new Uint8Array(ids.length);
    const sealed = yield* sealedSource(source, lookup, coverage);
    if (sealed !== null) sources.push(sealed);
    const said = yield* readTally(source, lookup, coverage);
    const fault = coverageErrorOf(coverage);
    if (fault !== null) throw sealed === null ? unreadable(fault) : new SealedDamage(fault);
    const tally: Tally = { places: 0, mixed: 0 };
    sources.push(...(yield* ftsSources(source, ids.length, lookup, tally)));
    first = yield* writeTerms(target, ids.length, mergeTerms(sources, createPostings()));
    assertTally(said, tally);
  } finally {
    for (const open of sources) open.close();
  }
  writeHead(target, ids, { ...pages, first, sealedMs });
}

/**
 * The same from terms whose posts are numbered as in `ids`, newest first, every one of which they answer for. Errors: those of
 * SQLite.
 */
export function* buildSealedOf(
  target: DatabaseSync,
  ids: BigInt64Array,
  terms: MergedTerms,
  sealedMs: number,
): Generator<"worked", void> {
  const pages = yield* writeIds(target, ids);
  const first = yield* writeTerms(target, ids.length, terms);
  writeHead(target, ids, { ...pages, first, sealedMs });
}

/** Writes dictionary and postings, and returns the first term; null where there is none. */
function* writeTerms(
  target: DatabaseSync,
  posts: number,
  terms: MergedTerms,
): Generator<"worked", Uint8Array | null> {
  const dictionary = createDictionaryWriter(target);
  const writer = createPostingWriter(target, chunksOf(posts));
  let work = 0;
  for (let term = terms.next(); term !== null; term = terms.next()) {
    while (!terms.take(postingsOfStep)) yield "worked";
    const { postings } = terms;
    const positional = terms.holdsPositions();
    if (postings.posts > inlinePosts) {
      if (postings.posts > postingsOfStep) yield "worked";
      const cards = writer.count(postings);
      const row = yield* writer.write(postings, positional);
      dictionary.addRows(term, postings.posts, row, cards);
    } else if (postings.posts > 0) {
      dictionary.addInline(term, postings, positional);
    }
    work += costOfTerm + postings.posts + postings.places;
    if (work < postingsOfStep) continue;
    work = 0;
    yield "worked";
  }
  return dictionary.end();
}

type Pages = { heads: Uint8Array; pageSums: Uint8Array };

/** The mask and the row of `sealed`. */
function writeHead(
  target: DatabaseSync,
  ids: BigInt64Array,
  { first, sealedMs, ...pages }: Pages & { first: Uint8Array | null; sealedMs: number },
): void {
  writeEmptyMask(target, ids.length);
  const head = { format: sealedFormat, posts: ids.length, sealedMs, ...pages, first };
  target
    .prepare("INSERT INTO sealed VALUES (?, ?, ?, coalesce(?, x''), coalesce(?, x''), ?, ?)")
    .run(head.format, head.posts, sealedMs, head.heads, head.pageSums, first, headSum(head));
}

/** Pages of IDs written in one step. */
const pagesOfStep = 256;

/** Writes the IDs and returns the first of every page, and the checksum of each. */
function* writeIds(target: DatabaseSync, ids: BigInt64Array): Generator<"worked", Pages> {
  const insert = target.prepare("INSERT INTO sealed_ids VALUES (?, ?)");
  const heads = new BigInt64Array(Math.ceil(ids.length / idsOfPage));
  const pageSums = new Uint32Array(heads.length);
  for (let page = 0; page < heads.length; page += 1) {
    const part = ids.subarray(page * idsOfPage, (page + 1) * idsOfPage);
    heads[page] = part[0] as bigint;
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    pageSums[page] = rowSum("ids", page, bytes);
    insert.run(page, bytes);
    if (page % pagesOfStep === pagesOfStep - 1) yield "worked";
  }
  return { heads: new Uint8Array(heads.buffer), pageSums: new Uint8Array(pageSums.buffer) };
}
