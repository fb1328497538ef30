import { DatabaseSync } from "node:sqlite";
import { all, any, not, type PlanNode } from "@earshot/query/plan";
import type { SequenceElement } from "@earshot/query/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeSealedTables } from "../../../testkit/archives/sealed-tables.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { indexTerms } from "../../posts/terms.ts";
import { expression } from "../segments/expression.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { readMembers } from "./chunk-set.ts";
import { postsPerChunk } from "./format.ts";
import { openSealedIndex } from "./sealed-index.ts";
import { sealedQuery } from "./sealed-query.ts";
import { createTermCache } from "./term-cache.ts";

const token = (text: string): SequenceElement => ({ kind: "token", token: text });
const prefix = (text: string): SequenceElement => ({ kind: "prefix", prefix: text });
const terms = (...elements: SequenceElement[]): PlanNode => ({ kind: "terms", elements });

describe("translating a lowered plan", () => {
  const word = terms(token("word"));
  const other = terms(token("other"));

  test.each<[string, PlanNode, unknown]>([
    ["every post", { kind: "all" }, { kind: "every" }],
    ["nothing", { kind: "none" }, { kind: "none" }],
    ["a term", word, { kind: "term", term: "word" }],
    ["a phrase", terms(token("a"), token("b")), { kind: "phrase", terms: ["a", "b"] }],
    ["a prefix", terms(prefix("日")), { kind: "prefix", terms: [], prefix: "日" }],
    [
      "a phrase that ends in a prefix",
      terms(token("a"), prefix("日")),
      { kind: "prefix", terms: ["a"], prefix: "日" },
    ],
    [
      "a negation without another condition",
      not(word),
      { kind: "and", children: [], excluded: [{ kind: "term", term: "word" }] },
    ],
    [
      "each excluded condition separately",
      all([word, not(any([other, not(word)]))]),
      {
        kind: "and",
        children: [{ kind: "term", term: "word" }],
        excluded: [
          { kind: "term", term: "other" },
          { kind: "and", children: [], excluded: [{ kind: "term", term: "word" }] },
        ],
      },
    ],
    ["a folded term", terms(token("WÖRD")), { kind: "term", term: "wÖrd" }],
    [
      "a phrase with a token that is split",
      terms(token("a\u0001b\u007fc"), token("d")),
      { kind: "phrase", terms: ["a", "b", "c", "d"] },
    ],
    [
      "a token that consists only of separators, which matches nothing",
      terms(token(" \u0000")),
      { kind: "none" },
    ],
    [
      "a prefix that consists only of separators, which leaves the token before it",
      terms(token("a"), prefix("\t")),
      { kind: "prefix", terms: [], prefix: "a" },
    ],
    [
      "unstorable text, whose lone surrogate is replaced",
      terms(token("a\ud800")),
      { kind: "term", term: "a\ufffd" },
    ],
  ])("a lowered plan is translated: %s", (_name, plan, expected) => {
    expect(sealedQuery(plan)).toEqual(expected);
  });

  test("a plan that is not lowered cannot be translated", () => {
    expect(() => sealedQuery({ kind: "platform", platform: "x" })).toThrow(
      "cannot contain platform",
    );
    expect(() => sealedQuery(terms({ kind: "any" }))).toThrow("cannot contain a wildcard");
  });
});

const unit = fc.constantFrom(
  ..."aAbB日é#",
  " ",
  "\u0001",
  "\u007f",
  "\u00a0",
  "İ",
  "\u212a",
  '"',
  "*",
  "\ud800",
);
const text = fc.string({ unit, maxLength: 3 });
const leaf = fc
  .tuple(fc.array(text.map(token), { maxLength: 3 }), fc.option(text.map(prefix)))
  .map(([tokens, last]) => terms(...tokens, ...(last === null ? [] : [last])));
const { plan } = fc.letrec<{ plan: PlanNode }>((tie) => {
  const some = fc.array(tie("plan"), { minLength: 1, maxLength: 3 });
  return {
    plan: fc.oneof({ maxDepth: 3 }, leaf, some.map(all), some.map(any), tie("plan").map(not)),
  };
});

function bothIndexes(texts: readonly string[]) {
  const database = new DatabaseSync(":memory:");
  for (const migration of segmentMigrations) database.exec(migration);
  const insert = database.prepare("INSERT INTO term(rowid, terms) VALUES (?, ?)");
  for (const [number, each] of texts.entries())
    insert.run(number, `is:post ${each.toWellFormed()}`);
  database.exec("CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, term, instance)");
  const posts: string[][] = texts.map(() => []);
  for (const row of database.prepare("SELECT term, doc, offset FROM temp.instance").all()) {
    const post = posts[Number(row.doc)];
    if (post !== undefined) post[Number(row.offset)] = String(row.term);
  }
  const ids = texts.map((_, number) => BigInt(1_000 - number));
  writeSealedTables(database, posts, ids, 0);
  const sealed = openSealedIndex(database, {
    name: "both",
    terms: createTermCache(1 << 20),
    ids: null,
  });
  return { database, sealed };
}

function foundByBoth(posts: readonly string[], plans: readonly PlanNode[]) {
  const { database, sealed } = bothIndexes(posts);
  const match = database.prepare("SELECT rowid FROM term WHERE term MATCH ? ORDER BY rowid");
  const out = new Uint16Array(postsPerChunk);
  const found = plans
    .filter(({ kind }) => kind !== "none")
    .map((other) => {
      const text = expression(other);
      const byFts =
        text === null ? [...posts.keys()] : match.all(text).map(({ rowid }) => Number(rowid));
      const range = { from: 0, to: posts.length };
      const steps = sealed?.matches(sealedQuery(other), range, () => null, { containers: 0 });
      const [bySealed] = Array.from(steps ?? [], ({ set, from, to }) => [
        ...out.subarray(0, readMembers(set, from, to, out, postsPerChunk)),
      ]);
      return { byFts, bySealed };
    });
  database.close();
  return found;
}

test("the sealed index finds the same posts as FTS5", () => {
  const texts = fc.array(fc.string({ unit, maxLength: 12 }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.array(plan, { minLength: 20, maxLength: 20 }), (posts, plans) => {
      for (const { byFts, bySealed } of foundByBoth(posts, plans)) {
        expect(bySealed).toEqual(byFts);
      }
    }),
    {
      numRuns: 15,
      examples: [
        [
          ["a\ud800 b", "A\u0001B", "ab a", "a b a", "日a", "", "\u00a0"],
          [
            terms(token("a\ud800"), token("b")),
            terms(token("A"), token("B"), prefix("a")),
            terms(token("a b"), prefix("\u007f")),
            terms(token("ab\u0001"), prefix("A")),
            not(terms(token("日A"))),
            any([terms(token(" ")), terms(token("\u00a0"))]),
          ],
        ],
      ],
    },
  );
});

test.each([
  ["words and facets", "lang", [0, 3]],
  ["facets only", "lang:", []],
  ["rare words and frequent facets", "is", [0]],
])("a prefix of %s after a word finds the same posts as with FTS5", (_name, last, numbers) => {
  const texts = ["my language is mine, my island", "no word, my", "lang my own", "my lang"];
  const posts = Array.from({ length: 80 }, (_, n) => texts[n] ?? `post ${n}`).map((name) =>
    indexTerms(makePost({ text: name, langs: ["en"] })).join(" "),
  );
  const alone = terms(prefix(last));
  const afterWord = terms(token("my"), prefix(last));
  const [first, second] = foundByBoth(posts, [alone, afterWord]);
  expect(first?.bySealed).toEqual(first?.byFts);
  expect(first?.bySealed).toHaveLength(80);
  expect(second).toEqual({ byFts: numbers, bySealed: numbers });
});
