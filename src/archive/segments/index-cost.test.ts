import type { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { type IndexedPost, segmentForms } from "../../../testkit/archives/segment-forms.ts";
import { numberedId } from "../../posts/ids.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { indexCost } from "./index-cost.ts";

const posts = 20_000;

function* indexedPosts(): Generator<IndexedPost, void> {
  for (let number = 0; number < posts; number++) {
    const timeMs = Date.UTC(2026, 0, 1) + number;
    yield { id: numberedId(timeMs, 0n), timeMs, terms: "rain river" };
  }
}

const forms = segmentForms(indexedPosts());
afterAll(() => forms.remove());

const manyTerms = Array.from({ length: 30 }, () => "rain");

const allOf = (term: string): SealedQuery => ({
  kind: "and",
  children: [...manyTerms, term].map((text) => ({ kind: "term", term: text })),
  excluded: [],
});

test("a segment's posts are counted only for the first query", () => {
  forms.inspect((plain) => {
    const { database, countsRun } = countCounts(plain);
    const cost = indexCost(database);
    for (let query = 0; query < 10; query++) cost.isBounded(allOf(`river${query}`));
    expect(countsRun()).toBe(1);
  });
});

function countCounts(original: DatabaseSync): { database: DatabaseSync; countsRun(): number } {
  let runs = 0;
  const database = new Proxy(original, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "prepare") return typeof member === "function" ? member.bind(target) : member;
      return (sql: string) => {
        const statement = target.prepare(sql);
        if (!sql.includes("term_docsize LIMIT")) return statement;
        const row = statement.get();
        statement.get = () => {
          runs += 1;
          return row;
        };
        return statement;
      };
    },
  });
  return { database, countsRun: () => runs };
}
