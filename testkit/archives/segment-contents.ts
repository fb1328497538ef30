import { DatabaseSync } from "node:sqlite";
import { walkSealedTerms } from "../../src/archive/maintenance/sealed-terms.ts";
import { buildSealed } from "../../src/archive/sealed/build.ts";
import { openDocNumbers } from "../../src/archive/sealed/doc-numbers.ts";
import { isPositionalTerm } from "../../src/archive/sealed/sealed-query.ts";
import { segmentMigrations } from "../../src/archive/segments/schema.ts";

export type PostTokens = ReadonlyMap<bigint, readonly string[]>;

/** Positions by term and post ID; empty if the term stores none. */
type IndexContents = Map<string, Map<bigint, string>>;

export function emptySegment(): DatabaseSync {
  const database = new DatabaseSync(":memory:", { defensive: false });
  database.exec("PRAGMA page_size = 8192");
  for (const migration of segmentMigrations) database.exec(migration);
  return database;
}

export function addToFts(database: DatabaseSync, posts: PostTokens): void {
  const insert = database.prepare("INSERT INTO term(rowid, terms) VALUES (?, ?)");
  database.exec("BEGIN");
  for (const [id, tokens] of posts) insert.run(id, tokens.join(" "));
  database.exec("COMMIT");
}

export function sealedFrom(
  source: DatabaseSync,
  ids: Iterable<bigint>,
): { sealed: DatabaseSync; steps: number } {
  const sealed = emptySegment();
  const newestFirst = BigInt64Array.from([...ids].sort((a, b) => (a < b ? 1 : -1)));
  let steps = 0;
  sealed.exec("BEGIN");
  for (const _ of buildSealed(source, sealed, newestFirst, 1)) steps += 1;
  sealed.exec("COMMIT");
  return { sealed, steps };
}

/** Throws if the index violates its format. */
export function sealedContents(database: DatabaseSync): IndexContents {
  const numbers = openDocNumbers(database, "contents", null);
  const contents: IndexContents = new Map();
  const fail = (error: string): void => {
    throw new Error(error);
  };
  const walk = walkSealedTerms(database, numbers.posts, fail, (term, postings) => {
    const { count, positions, starts } = postings;
    const posts = new Map<bigint, string>();
    for (let index = 0; index < count; index += 1) {
      const postPositions =
        positions === null ? [] : positions.subarray(starts[index], starts[index + 1]);
      posts.set(numbers.idAt(postings.numbers[index] ?? 0), postPositions.join(" "));
    }
    contents.set(term, posts);
  });
  for (const _ of walk);
  return contents;
}

export function expectedContents(posts: PostTokens, ids: ReadonlySet<bigint>): IndexContents {
  const contents: IndexContents = new Map();
  for (const [id, tokens] of posts) {
    if (!ids.has(id)) continue;
    for (const [position, token] of tokens.entries()) {
      const termPosts = contents.get(token) ?? new Map<bigint, string>();
      contents.set(token, termPosts);
      const earlierPositions = termPosts.get(id);
      const allPositions =
        earlierPositions === undefined ? `${position}` : `${earlierPositions} ${position}`;
      termPosts.set(id, isPositionalTerm(token) ? allPositions : "");
    }
  }
  return contents;
}
