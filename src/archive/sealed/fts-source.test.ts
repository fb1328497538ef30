import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  addToFts,
  emptySegment,
  expectedContents,
  sealedContents,
  sealedFrom,
} from "../../../testkit/archives/segment-contents.ts";
import { isPositionalTerm } from "./sealed-query.ts";

let source: DatabaseSync;
beforeEach(() => {
  source = emptySegment();
});
afterEach(() => source.close());

function reportedByFts(database: DatabaseSync): Map<string, string[]> {
  database.exec("CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, term, instance)");
  const reported = new Map<string, string[]>();
  const rows = database.prepare("SELECT term, doc, offset FROM temp.instance");
  rows.setReadBigInts(true);
  for (const { term, doc, offset } of rows.all()) {
    const text = String(term);
    const positions = reported.get(text) ?? [];
    reported.set(text, positions);
    const position = isPositionalTerm(text) ? `${doc} ${offset}` : `${doc}`;
    if (positions.at(-1) !== position) positions.push(position);
  }
  database.exec("DROP TABLE temp.instance");
  return reported;
}

function sealedPositions(database: DatabaseSync, ids: Iterable<bigint>): Map<string, string[]> {
  const { sealed } = sealedFrom(database, ids);
  const positions = new Map<string, string[]>();
  for (const [term, posts] of sealedContents(sealed)) {
    const stored = [...posts]
      .reverse()
      .flatMap(([id, time]) =>
        time === "" ? [`${id}`] : time.split(" ").map((position) => `${id} ${position}`),
      );
    positions.set(term, stored);
  }
  sealed.close();
  return positions;
}

const words = ["a", "ab", "abc", "b", "|", "is:post", "é", "\ue000", "𝒳", "url:x", "zz"];
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      post: fc.nat(40),
      tokens: fc.array(fc.constantFrom(...words), { maxLength: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("long" as const),
      post: fc.nat(40),
      word: fc.constantFrom(...words),
      times: fc.integer({ min: 1, max: 600 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), post: fc.nat(40) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("merge" as const),
      pages: fc.integer({ min: -4, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("many" as const),
      from: fc.nat(40),
      posts: fc.integer({ min: 1, max: 200 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "optimize" as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const postId = (post: number): bigint => (post % 3 === 0 ? BigInt(post) : BigInt(post) << 40n);

function run(history: readonly Step[], leafBytes: number, pieces: number): Set<bigint> {
  const database = source;
  const set = database.prepare("INSERT INTO term(term, rank) VALUES (?, ?)");
  set.run("pgsz", BigInt(leafBytes));
  set.run("crisismerge", BigInt(pieces));
  set.run("automerge", pieces % 3 === 0 ? 0n : 2n);
  const ids = new Set<bigint>();
  const remove = database.prepare("DELETE FROM term WHERE rowid = ?");
  const write = (id: bigint, tokens: readonly string[]): void => {
    if (ids.has(id)) remove.run(id);
    ids.add(id);
    addToFts(database, new Map([[id, tokens]]));
  };
  for (const each of history) {
    if (each.kind === "write") write(postId(each.post), each.tokens);
    if (each.kind === "long")
      write(postId(each.post), new Array<string>(each.times).fill(each.word));
    if (each.kind === "delete" && ids.delete(postId(each.post))) remove.run(postId(each.post));
    if (each.kind === "merge") set.run("merge", BigInt(each.pages));
    if (each.kind === "optimize") database.exec("INSERT INTO term(term) VALUES ('optimize')");
    if (each.kind === "many") {
      const posts = new Map<bigint, string[]>();
      for (let n = 0; n < each.posts; n += 1) {
        posts.set(1_000n + BigInt(each.from * 1_000 + n * 7), ["is:post", "b", "many"]);
      }
      for (const id of posts.keys()) if (ids.has(id)) posts.delete(id);
      addToFts(database, posts);
      for (const id of posts.keys()) ids.add(id);
    }
  }
  return ids;
}

const write = (post: number, ...tokens: string[]): Step => ({ kind: "write", post, tokens });
const long = (post: number, times: number): Step => ({ kind: "long", post, word: "b", times });
const mergeOf = (pages: number): Step => ({ kind: "merge", pages });
const posts40 = Array.from({ length: 40 }, (_, post) => post);
const written = posts40.map((post) => write(post, "a", "is:post", `word${post}`, "a"));
const rewritten = posts40.map((post) => write(post, "b", "a"));

const forms: [Step[], number, number][] = [
  [[], 32, 2],
  [[write(0), write(1)], 32, 16],
  [[write(0, "a")], 4_050, 16],
  [[{ kind: "many", from: 0, posts: 200 }], 32, 16],
  [[long(1, 600), long(3, 600)], 32, 16],
  [[{ kind: "many", from: 0, posts: 200 }, long(2, 600)], 200, 2],
  [written, 64, 2],
  [[...written, mergeOf(1), write(1, "zz"), mergeOf(-1)], 32, 16],
  [[...written, ...rewritten, { kind: "optimize" }, write(2, "b")], 64, 16],
  [[write(0, "a", "b"), write(1, "a"), write(0, "c")], 32, 16],
  [[...written, { kind: "optimize" }, ...rewritten], 32, 16],
  [[...written, ...rewritten, mergeOf(4), ...written], 32, 3],
  [[...written, ...posts40.map((post): Step => ({ kind: "delete", post }))], 32, 16],
];

test("reading FTS5's pages directly yields the same terms as fts5vocab, after any writes, deletions and merges", () => {
  const history = fc.array(step, { maxLength: 60 });
  const leafBytes = fc.constantFrom(32, 64, 200, 4_050);
  fc.assert(
    fc.property(history, leafBytes, fc.integer({ min: 2, max: 16 }), (steps, bytes, pieces) => {
      source.close();
      source = emptySegment();
      const ids = run(steps, bytes, pieces);
      expect(sealedPositions(source, ids)).toEqual(reportedByFts(source));
    }),
    { numRuns: 60, examples: forms },
  );
});

const many = new Map<bigint, string[]>();
for (let n = 1n; n <= 900n; n += 1n) many.set(n << 33n, ["is:post", `w${n % 50n}`, "all", "all"]);

test("the FTS5 source omits former versions of posts, even if they are in several FTS5 segments and pages", () => {
  source.exec("INSERT INTO term(term, rank) VALUES ('pgsz', 100), ('deletemerge', 0)");
  addToFts(source, many);
  const written = new Map(
    [...many.keys()].filter((id) => (id >> 33n) % 10n !== 0n).map((id) => [id, ["anew"]]),
  );
  const remove = source.prepare("DELETE FROM term WHERE rowid = ?");
  for (const id of written.keys()) remove.run(id);
  addToFts(source, written);
  const pages = source.prepare("SELECT count(*) AS pages FROM term_data WHERE id >= 65536 << 37");
  expect(pages.get()?.pages).toBeGreaterThan(9);
  const { sealed } = sealedFrom(source, many.keys());
  const posts = new Map([...many, ...written]);
  expect(sealedContents(sealed)).toEqual(expectedContents(posts, new Set(posts.keys())));
  sealed.close();
});

test("the FTS5 source omits the former entry of a rewritten post with ID 0", () => {
  const posts = new Map([
    [0n, ["a", "b"]],
    [1n, ["a"]],
  ]);
  addToFts(source, posts);
  source.exec("DELETE FROM term WHERE rowid = 0");
  posts.set(0n, ["c"]);
  addToFts(source, new Map([[0n, ["c"]]]));
  const { sealed } = sealedFrom(source, posts.keys());
  expect(sealedContents(sealed)).toEqual(expectedContents(posts, new Set(posts.keys())));
  sealed.close();
});

describe("unreadable or incomplete FTS5 indexes", () => {
  const leaf = "id > 1000 AND id & 0x7fffffff";
  beforeEach(() => {
    source.exec("INSERT INTO term(term, rank) VALUES ('pgsz', 300)");
    addToFts(source, many);
  });

  test.each([
    ["a leaf is missing", `DELETE FROM term_data WHERE ${leaf} = 5`, "cannot be sealed"],
    [
      "the last leaf is missing",
      `DELETE FROM term_data WHERE id = (SELECT max(id) FROM term_data WHERE id >> 31 & 63 = 0 AND ${leaf} > 0 AND id >> 53 = 0)`,
      "cannot be sealed",
    ],
    [
      "a leaf is empty",
      `UPDATE term_data SET block = x'' WHERE ${leaf} = 5`,
      "a leaf is malformed",
    ],
    [
      "a leaf is replaced by another",
      `UPDATE term_data SET block = (SELECT block FROM term_data WHERE ${leaf} = 7) WHERE ${leaf} = 6`,
      "cannot be sealed",
    ],
    [
      "a leaf contains only zeros",
      `UPDATE term_data SET block = zeroblob(300) WHERE ${leaf} = 5`,
      "a leaf is malformed",
    ],
    [
      "there is no structure record",
      "DELETE FROM term_data WHERE id = 10",
      "structure record is missing",
    ],
    [
      "the structure record is truncated",
      "UPDATE term_data SET block = substr(block, 1, 12) WHERE id = 10",
      "truncated",
    ],
    [
      "the structure record is of an unknown kind",
      "UPDATE term_data SET block = x'0000000001010101010101' WHERE id = 10",
      "unknown kind",
    ],
    [
      "its version is unknown",
      "UPDATE term_config SET v = 5 WHERE k = 'version'",
      "its version is 5",
    ],
    [
      "the stored length of a post is too large",
      `UPDATE term_docsize SET sz = x'05' WHERE id = 5 << 33`,
      "3600",
    ],
    [
      "the stored lengths of two posts are swapped",
      "UPDATE term_docsize SET sz = CASE id WHEN 5 << 33 THEN x'05' ELSE x'03' END WHERE id IN (5 << 33, 6 << 33)",
      "in different posts",
    ],
    [
      "a post was written twice",
      "INSERT INTO term(rowid, terms) VALUES (5 << 33, 'again')",
      "3601",
    ],
  ])("an FTS5 index is not sealed if %s", (_, tamper, message) => {
    source.exec(tamper);
    expect(() => sealedFrom(source, many.keys())).toThrow(message);
  });
});
