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
  generatedQueryText,
  queryLeaves,
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
const queriesPerSet = 1_000;
const postsPerSet = 60;
const seed = testSeed(20_260_102);
const rerun = `repeat with: EARSHOT_TEST_SEED=${seed} npm run test:slow -- test/slow/differential.test.ts`;

const posts = fc.tuple(...Array.from({ length: postsPerSet }, (_, n) => generatedPost(n)));

/** `positive`: the leaf alone finds posts; `negative`: it excludes some. */
type Tally = { pairs: number; positive: number; negative: number; inFinding: number };

const requested = indexForms.map((form) => ({ form, count: Math.ceil(sets * shares[form]) }));

test.each(requested)(
  `the archive ($form), matcher and oracle agree on ${queriesPerSet} queries to each of $count sets of ${postsPerSet} posts`,
  {
    timeout: 900_000,
  },
  ({ form, count }) => {
    console.log(`EARSHOT_TEST_SEED=${seed}`);
    const totals = { pairs: 0, finding: 0 };
    const tallies = new Map(
      Object.keys(generatedLeaves).map((operator): [string, Tally] => [
        operator,
        { pairs: 0, positive: 0, negative: 0, inFinding: 0 },
      ]),
    );
    for (let number = 0; number < count; number++) {
      const [drawn = []] = fc.sample(posts, { seed: seed + number, numRuns: 1 });
      const queries = fc.sample(drawnQuery, { seed: seed + number, numRuns: queriesPerSet });
      runSet(drawn, queries, form, (query, found, alone) => {
        totals.pairs += 1;
        if (found > 0) totals.finding += 1;
        for (const { operator, text } of queryLeaves(query)) {
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
    console.log(`${totals.pairs} pairs, ${totals.finding} of them found posts`);
    console.table(Object.fromEntries(tallies));
    expect(totals.finding / totals.pairs).toBeGreaterThan(0.3);
    for (const [operator, { positive, negative }] of tallies) {
      const expected = Math.min(1_000, totals.pairs / 200);
      expect(positive, `${operator} finds posts`).toBeGreaterThanOrEqual(expected);
      expect(negative, `${operator} excludes posts`).toBeGreaterThanOrEqual(expected);
    }
  },
);

type OnQuery = (query: DrawnQuery, found: number, alone: (leaf: string) => number) => void;

function runSet(
  drawn: readonly Post[],
  queries: readonly DrawnQuery[],
  form: IndexForm,
  onQuery: OnQuery,
): void {
  const executors = openThreeExecutors(drawn, form);
  try {
    const leafCounts = new Map<string, number>();
    const alone = (leaf: string): number => {
      const count = leafCounts.get(leaf) ?? executors.countMatches(leaf);
      leafCounts.set(leaf, count);
      return count;
    };
    for (const query of queries) {
      const found = agreedCount(executors, query, drawn, form);
      onQuery(query, found, alone);
    }
  } finally {
    executors.remove();
  }
}

function agreedCount(
  executors: ThreeExecutors,
  query: DrawnQuery,
  posts: readonly Post[],
  form: IndexForm,
): number {
  try {
    const answers = executors.answersTo(generatedQueryText(query));
    if (agree(answers)) return answers.archive.length;
  } catch (cause) {
    throw new Error(`${rerun} ${generatedQueryText(query)}`, { cause });
  }
  throw new Error(formatReport({ query, posts }, form));
}

function formatReport(differing: Case, form: IndexForm): string {
  const { query, posts } = shrink(differing, (smaller) => differs(smaller, form));
  const executors = openThreeExecutors(posts, form);
  const answers = executors.answersTo(generatedQueryText(query));
  executors.remove();
  const regressionCase = {
    name: "",
    query: generatedQueryText(query),
    posts: posts.map(nonDefaultFields),
  };
  return [
    `the answers differ (${form}); once understood, add it to testkit/data/regression-cases.ts:`,
    inspect(regressionCase, {
      depth: null,
      breakLength: 100,
      maxArrayLength: null,
      maxStringLength: null,
    }),
    inspect(answers, { depth: null }),
    rerun,
  ].join("\n");
}

function differs({ query, posts }: Case, form: IndexForm): boolean {
  const executors = openThreeExecutors(posts, form);
  try {
    return !agree(executors.answersTo(generatedQueryText(query)));
  } catch {
    return false;
  } finally {
    executors.remove();
  }
}
