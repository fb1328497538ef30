import { parseQuery } from "@earshot/query";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IndexForm, indexForms } from "../../../testkit/archives/index-forms.ts";
import { generatedPost } from "../../../testkit/data/generated.ts";
import { generatedLeaves, generatedQuery } from "../../../testkit/data/generated-queries.ts";
import { openPostSet } from "../../../testkit/data/post-set.ts";
import { testRuns } from "../../../testkit/seed.ts";

const postsPerSet = 40;
const sizes: Readonly<Record<IndexForm, { sets: number; queries: number; pages: number }>> = {
  fts5: { sets: testRuns(4), queries: 40, pages: testRuns(2) },
  sealed: { sets: testRuns(1), queries: 80, pages: testRuns(1) },
  imported: { sets: testRuns(2), queries: 60, pages: testRuns(1) },
  mixed: { sets: testRuns(2), queries: 60, pages: testRuns(1) },
};
const bounded = { interruptAfterTimeLimit: 25_000, markInterruptAsFailure: true };

const posts = fc.tuple(...Array.from({ length: postsPerSet }, (_, n) => generatedPost(n)));

test("every operator is parsed under each of its names with any generated value", () => {
  for (const [operator, texts] of Object.entries(generatedLeaves)) {
    fc.assert(
      fc.property(texts, (text) => {
        expect(() => parseQuery(text), operator).not.toThrow();
      }),
      { numRuns: 60 },
    );
  }
});

describe.each(indexForms)("posts found by %s", (form) => {
  const { sets, queries, pages } = sizes[form];

  test("the archive and the matcher agree on every query and post", () => {
    const tally = { pairs: 0, found: 0 };
    fc.assert(
      fc.property(
        posts,
        fc.array(generatedQuery, { minLength: queries, maxLength: queries }),
        (drawn, drawnQueries) => {
          const set = openPostSet(drawn, 9, form);
          try {
            for (const query of drawnQueries) {
              const plan = set.planOf(query);
              const found = set.foundByArchive(plan);
              expect(found, query).toEqual(set.foundByMatcher(plan));
              tally.pairs += 1;
              if (found.length > 0) tally.found += 1;
            }
          } finally {
            set.remove();
          }
        },
      ),
      { numRuns: sets, ...bounded },
    );
    expect(tally.found / tally.pairs).toBeGreaterThan(0.3);
  });

  test("pages of any size together make up the whole answer", () => {
    fc.assert(
      fc.property(posts, generatedQuery, fc.integer({ min: 1, max: 7 }), (drawn, query, limit) => {
        const set = openPostSet(drawn, 9, form);
        try {
          const plan = set.planOf(query);
          expect(set.foundByPaging(plan, limit), query).toEqual(set.foundByArchive(plan));
        } finally {
          set.remove();
        }
      }),
      { numRuns: pages, ...bounded },
    );
  });
});

test("every operator matches some posts and excludes others in the generated archives", () => {
  const tallies = Object.entries(generatedLeaves).map(([operator, texts]) => ({
    operator,
    queries: fc.sample(texts, { numRuns: 8, seed: 1 }),
    some: 0,
    all: 0,
  }));
  fc.assert(
    fc.property(posts, (drawn) => {
      const set = openPostSet(drawn);
      try {
        for (const tally of tallies) {
          for (const query of tally.queries) {
            const found = set.foundByArchive(set.planOf(query));
            if (found.length > 0) tally.some += 1;
            if (found.length === drawn.length) tally.all += 1;
          }
        }
      } finally {
        set.remove();
      }
    }),
    { numRuns: 5, seed: 1 },
  );
  for (const { operator, some, all } of tallies) {
    expect(some, `${operator} finds something`).toBeGreaterThan(5);
    expect(all, `${operator} does not find everything`).toBeLessThan(40);
  }
});
