import type { DatabaseSync } from "node:sqlite";
import { statementCache } from "../database.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { quotedToken } from "./expression.ts";

/**
 * Estimates from term frequencies whether each step of an FTS5 query is fast. Until its next match,
 * FTS5 ignores the lower end of a range and cannot be interrupted, so one step may read all
 * postings if matches are rare.
 */
export type IndexCost = { isBounded(query: SealedQuery): boolean };

const maxPostings = 500_000;
const sampleSize = 64;
/** Cost of each posting for a prefix, whose terms FTS5 merges. */
const prefixCost = 18;
const maxPrefixTerms = 500;
const seekCost = 500;
const maxCountedPosts = 65_536;
const maxCachedTerms = 4_096;

type Estimate = { posts: number; cost: number };

export function indexCost(database: DatabaseSync): IndexCost {
  const statement = statementCache(database);
  const cache = new Map<string, number>();
  const decisions = new WeakMap<SealedQuery, boolean>();

  const findNumber = (sql: string, ...values: (string | bigint | number)[]): number =>
    Number((statement(sql).get(...values) as unknown as [bigint] | undefined)?.[0] ?? 0);

  let postCount: { posts: number; segmentPosts: number } | null = null;

  function countPosts(): number {
    const segmentPosts = findNumber(postsSql);
    if (postCount === null) {
      const countedPosts = findNumber(
        `SELECT count(*) FROM (SELECT 1 FROM term_docsize LIMIT ${maxCountedPosts})`,
      );
      postCount = {
        posts: countedPosts < maxCountedPosts ? countedPosts : Math.max(countedPosts, segmentPosts),
        segmentPosts,
      };
    }
    return postCount.posts + Math.max(0, segmentPosts - postCount.segmentPosts);
  }

  function memoise(key: string, make: () => number): number {
    const cachedValue = cache.get(key);
    if (cachedValue !== undefined) return cachedValue;
    if (cache.size >= maxCachedTerms) cache.clear();
    const value = make();
    cache.set(key, value);
    return value;
  }

  const termShare = (term: string, posts: number): number =>
    memoise(term, () => {
      const newestIds = statement(newestSql).all(quotedToken(term)) as unknown as [bigint][];
      const oldestId = newestIds.at(-1)?.[0];
      if (oldestId === undefined || newestIds.length < sampleSize) return newestIds.length / posts;
      return sampleSize / Math.max(sampleSize, findNumber(newerSql, oldestId));
    });

  const computePostings = (prefix: string): number =>
    memoise(`${prefix} *`, () => {
      database.exec(vocabularySql);
      let postings = 0;
      let terms = 0;
      for (const row of statement(termsSql).iterate(prefix)) {
        const [term, posts] = row as unknown as [string, bigint];
        if (!term.startsWith(prefix)) break;
        postings += Number(posts);
        terms += 1;
        if (terms > maxPrefixTerms || postings * prefixCost > maxPostings) {
          return Number.POSITIVE_INFINITY;
        }
      }
      return postings;
    });

  function estimateTerm(term: string, posts: number): Estimate {
    const matchingPosts = Math.ceil(termShare(term, posts) * posts);
    return { posts: matchingPosts, cost: matchingPosts };
  }

  function estimateConjunction(
    children: readonly Estimate[],
    excluded: readonly Estimate[],
    maxMatches: number,
  ): Estimate {
    const posts = Math.min(maxMatches, ...children.map((child) => child.posts));
    const addCost = (total: number, { cost }: Estimate): number =>
      total + (cost === Number.POSITIVE_INFINITY ? cost : Math.min(cost, posts * seekCost));
    const base = children.length === 0 ? maxMatches : children.reduce(addCost, 0);
    return { posts, cost: excluded.reduce(addCost, base) };
  }

  function estimate(query: SealedQuery, posts: number): Estimate {
    const estimateAll = (queries: readonly SealedQuery[]): Estimate[] =>
      queries.map((child) => estimate(child, posts));
    const estimateTerms = (names: readonly string[]): Estimate[] =>
      names.map((term) => estimateTerm(term, posts));
    switch (query.kind) {
      case "none":
        return { posts: 0, cost: 0 };
      case "every":
        return { posts, cost: posts };
      case "term":
        return estimateTerm(query.term, posts);
      case "phrase":
        return estimateConjunction(estimateTerms(query.terms), [], posts);
      case "prefix": {
        const postings = computePostings(query.prefix);
        const prefixEstimate = { posts: Math.min(postings, posts), cost: postings * prefixCost };
        return estimateConjunction([...estimateTerms(query.terms), prefixEstimate], [], posts);
      }
      case "or":
        return estimateAll(query.children).reduce(
          (a, b) => ({ posts: Math.min(posts, a.posts + b.posts), cost: a.cost + b.cost }),
          { posts: 0, cost: 0 },
        );
      case "and":
        return estimateConjunction(estimateAll(query.children), estimateAll(query.excluded), posts);
    }
  }

  const decide = (query: SealedQuery): boolean =>
    countTerms(query) * findNumber(postsSql) <= maxPostings ||
    estimate(query, countPosts()).cost <= maxPostings;

  return {
    isBounded(query) {
      if (isStreamable(query)) return true;
      const decision = decisions.get(query) ?? decide(query);
      decisions.set(query, decision);
      return decision;
    },
  };
}

const isStreamable = (query: SealedQuery): boolean =>
  query.kind === "every" ||
  query.kind === "term" ||
  (query.kind === "or" && query.children.every(isStreamable));

function countTerms(query: SealedQuery): number {
  const computeTotal = (queries: readonly SealedQuery[]): number =>
    queries.reduce((total, child) => total + countTerms(child), 0);
  switch (query.kind) {
    case "none":
      return 0;
    case "every":
    case "term":
      return 1;
    case "phrase":
      return query.terms.length;
    case "prefix":
      return query.terms.length + prefixCost;
    case "or":
      return computeTotal(query.children);
    case "and":
      return Math.max(1, computeTotal(query.children)) + computeTotal(query.excluded);
  }
}

const postsSql = "SELECT value FROM setting WHERE name = 'posts'";
const newestSql = `SELECT rowid FROM term WHERE term MATCH ? ORDER BY rowid DESC LIMIT ${sampleSize}`;
const newerSql = `SELECT count(*) FROM (SELECT 1 FROM term_docsize WHERE id >= ? LIMIT ${maxCountedPosts})`;
const vocabularySql =
  "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'term', 'row')";
const termsSql = "SELECT term, doc FROM temp.vocabulary WHERE term >= ?";
