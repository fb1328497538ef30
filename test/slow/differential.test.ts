import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Post } from "../../src/posts/post.ts";
import { type IndexForm, indexForms } from "../../testkit/archives/index-forms.ts";
import {
  agree,
  openThreeExecutors,
  type ThreeExecutors,
} from "../../testkit/archives/three-executors.ts";
import { generatedPost } from "../../testkit/data/generated.ts";
import {
  type DrawnQuery,
  drawnQuery,
  generatedLeaves,
  leavesOf,
  printed,
} from "../../testkit/data/generated-queries.ts";
import { type Case, nonDefaultFields, shrink } from "../../testkit/data/shrink.ts";
import { testSeed } from "../../testkit/seed.ts";

const sets = Number(process.env.EARSHOT_TEST_SETS ?? 140);
const shares: Readonly<Record<IndexForm, number>> = {
  fts5: 0.4,
  sealed: 0.15,
  imported: 0.15,
  mixed: 0.3,
};
const queriesOfSet = 1_000;
const postsOfSet = 60;
const seed = testSeed(20_260_102);
const again = `again: EARSHOT_TEST_SEED=${seed} npm run test:slow -- test/slow/differential.test.ts`;

const posts = fc.tuple(...Array.from({ length: postsOfSet }, (_, n) => generatedPost(n)));

/** By matching and non-matching posts. */
type Tally = { pairs: number; positive: number; negative: number; inFinding: number };

const requested = indexForms.map((form) => ({ form, count: Math.ceil(sets * shares[form]) }));

test.each(requested)(
  `the archive ($form), matcher and oracle agree on ${queriesOfSet} queries to each of $count sets of ${postsOfSet} posts`,
  {
    timeout: 900_000,
  },
  ({ form, count }) => {
    console.log(`EARSHOT_TEST_SEED=${seed}`);
    const met = { pairs: 0, finding: 0 };
    const tallies = new Map(
      Object.keys(generatedLeaves).map((operator): [string, Tally] => [
        operator,
        { pairs: 0, positive: 0, negative: 0, inFinding: 0 },
      ]),
    );
    for (let number = 0; number < count; number++) {
      const [drawn = []] = fc.sample(posts, { seed: seed + number, numRuns: 1 });
      const queries = fc.sample(drawnQuery, { seed: seed + number, numRuns: queriesOfSet });
      runSet(drawn, queries, form, (query, found, alone) => {
        met.pairs += 1;
        if (found > 0) met.finding += 1;
        for (const { operator, text } of leavesOf(query)) {
          const tally = tallies.get(operator);
          if (tally === undefined) continue;
          const own = alone(text);
          tally.pairs += 1;
          if (own > 0) tally.positive += 1;
          if (own < drawn.length) tally.negative += 1;
          if (found > 0) tally.inFinding += 1;
        }
      });
    }
    console.log(`${met.pairs} pairs, ${met.finding} of them found posts`);
    console.table(Object.fromEntries(tallies));
    expect(met.finding / met.pairs).toBeGreaterThan(0.3);
    for (const [operator, { positive, negative }] of tallies) {
      const expected = Math.min(1_000, met.pairs / 200);
      expect(positive, `${operator} finds posts`).toBeGreaterThanOrEqual(expected);
      expect(negative, `${operator} leaves posts out`).toBeGreaterThanOrEqual(expected);
    }
  },
);

type Met = (query: DrawnQuery, found: number, alone: (leaf: string) => number) => void;

function runSet(
  drawn: readonly Post[],
  queries: readonly DrawnQuery[],
  form: IndexForm,
  met: Met,
): void {
  const methods = openThreeExecutors(drawn, form);
  try {
    const countsOfLeaves = new Map<string, number>();
    const alone = (leaf: string): number => {
      const count = countsOfLeaves.get(leaf) ?? methods.countOf(leaf);
      countsOfLeaves.set(leaf, count);
      return count;
    };
    for (const query of queries) {
      const found = foundAlike(methods, query, drawn, form);
      met(query, found, alone);
    }
  } finally {
    methods.remove();
  }
}

function foundAlike(
  methods: ThreeExecutors,
  query: DrawnQuery,
  posts: readonly Post[],
  form: IndexForm,
): number {
  try {
    const answers = methods.answersTo(printed(query));
    if (agree(answers)) return answers.archive.length;
  } catch (cause) {
    throw new Error(`${again} ${printed(query)}`, { cause });
  }
  throw new Error(reportOf({ query, posts }, form));
}

/** As a regression case. */
function reportOf(differing: Case, form: IndexForm): string {
  const { query, posts } = shrink(differing, (smaller) => differs(smaller, form));
  const methods = openThreeExecutors(posts, form);
  const answers = methods.answersTo(printed(query));
  methods.remove();
  const kept = { name: "", query: printed(query), posts: posts.map(nonDefaultFields) };
  return [
    `the answers differ (${form}); once it is understood, keep it in testkit/data/regression-cases.ts:`,
    inspect(kept, { depth: null, breakLength: 100, maxArrayLength: null, maxStringLength: null }),
    inspect(answers, { depth: null }),
    again,
  ].join("\n");
}

function differs({ query, posts }: Case, form: IndexForm): boolean {
  const methods = openThreeExecutors(posts, form);
  try {
    return !agree(methods.answersTo(printed(query)));
  } catch {
    return false;
  } finally {
    methods.remove();
  }
}
