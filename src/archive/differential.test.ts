import fc from "fast-check";
import { expect, test } from "vitest";
import { generatedLeaves, generatedPost, generatedQuery } from "../../test/support/generated.ts";
import { smallArchive } from "../../test/support/small-archive.ts";
import { postTimeMs } from "../posts/ids.ts";
import { matches, type Subject } from "../posts/matcher.ts";
import type { Post } from "../posts/post.ts";
import { indexTerms } from "../posts/terms.ts";
import { makePlan, namesIn } from "../query/make-plan.ts";
import { parseQuery } from "../query/parse.ts";

const postsPerArchive = 40;
const queriesPerArchive = 25;

/** Read from the post itself: nothing that the archive stored is asked. */
const subjectOf = (post: Post): Subject => ({
  id: post.nativeId ?? 0n,
  platform: post.platform,
  timeMs: postTimeMs(post, Date.UTC(2030, 0, 1)),
  counts: post.counts,
  geo: () => post.geo,
  terms: () => indexTerms(post),
});

const posts = fc.tuple(...Array.from({ length: postsPerArchive }, (_, n) => generatedPost(n)));

test("the archive and the matcher give the same answer to every query over every post", () => {
  const met = { pairs: 0, found: 0 };
  fc.assert(
    fc.property(
      posts,
      fc.array(generatedQuery, { minLength: queriesPerArchive, maxLength: queriesPerArchive }),
      (drawn, queries) => {
        const archive = smallArchive(9);
        try {
          archive.put(...drawn);
          for (const query of queries) {
            const { tree } = parseQuery(query);
            const names = archive.reader.operations.resolve(namesIn(tree));
            const plan = makePlan(tree, { names, asOfMs: 0 });
            const expected = drawn
              .filter((post) => matches(plan, subjectOf(post)))
              .map((post) => post.uri);
            const { positions } = archive.search({ plan, limit: 500 });
            const found = archive.reader.operations
              .records(positions)
              .map((text): string => JSON.parse(text).Metadata.uri);
            expect(found.toSorted(), query).toEqual(expected.toSorted());
            met.pairs += 1;
            if (found.length > 0) met.found += 1;
          }
        } finally {
          archive.remove();
        }
      },
    ),
    { numRuns: 40 },
  );
  expect(met.found / met.pairs).toBeGreaterThan(0.3);
});

test("every operator finds something in many of the archives, and leaves something out", () => {
  fc.assert(
    fc.property(posts, (drawn) => {
      const archive = smallArchive(9);
      try {
        archive.put(...drawn);
        for (const [name, leaf] of Object.entries(generatedLeaves)) {
          for (const query of fc.sample(leaf, { numRuns: 8, seed: 1 })) {
            const { tree } = parseQuery(query);
            const names = archive.reader.operations.resolve(namesIn(tree));
            const { positions } = archive.search({
              plan: makePlan(tree, { names, asOfMs: 0 }),
              limit: 500,
            });
            const tally = tallies[name] ?? { some: 0, all: 0 };
            if (positions.length > 0) tally.some += 1;
            if (positions.length === drawn.length) tally.all += 1;
            tallies[name] = tally;
          }
        }
      } finally {
        archive.remove();
      }
    }),
    { numRuns: 10 },
  );
  for (const [name, { some, all }] of Object.entries(tallies)) {
    expect(some, `${name} finds something`).toBeGreaterThan(10);
    expect(all, `${name} does not find everything`).toBeLessThan(80);
  }
});

const tallies: Record<string, { some: number; all: number }> = {};
