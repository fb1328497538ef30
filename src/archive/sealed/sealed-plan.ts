import type { PostingList, PostSets } from "./posting-list.ts";
import type { PrefixList } from "./prefix-list.ts";
import type { SealedQuery } from "./sealed-query.ts";

/** A query with the posts of its terms, ready to be evaluated chunk by chunk. All nodes have one form, whatever their kind. */
export type SealedPlan = {
  readonly kind: "posts" | "phrase" | "or" | "and";
  /** Of `posts`: the posts. */
  readonly posts: PostSets | null;
  /** Of `phrase`: its terms in their order, which stand side by side. */
  readonly phrase: readonly PostingList[];
  /** Of `phrase`: its terms, each once. */
  readonly distinct: PostingList[];
  /** Of `or` and `and`; an `and` without children is every post. Evaluation puts them in another order. */
  readonly children: SealedPlan[];
  /** Of `and`. */
  readonly excluded: readonly SealedPlan[];
  /** How many posts of the chunk match at most, and how late in a conjunction it is evaluated: set for each chunk. */
  most: number;
  cost: number;
};

/** What the plan of a query is made of; `beginning` yields how many terms, or as much else, each step read. */
export type PlanSources = {
  term(term: string): PostingList | null;
  beginning(prefix: string): Generator<number, PrefixList | null>;
};

/** The plan of a query; null where no post can match. Yields between its terms how many were read. */
export function* planOf(
  query: SealedQuery,
  sources: PlanSources,
): Generator<number, SealedPlan | null> {
  switch (query.kind) {
    case "every":
      return conjunction([], []);
    case "none":
      return null;
    case "term":
      yield 1;
      return postsPlan(sources.term(query.term));
    case "phrase":
      yield query.terms.length;
      return phrasePlan(query.terms.map(sources.term));
    case "prefix": {
      const lists = query.terms.map(sources.term);
      return prefixPlan(lists, yield* sources.beginning(query.prefix));
    }
    case "or":
      return disjunction(yield* plansOf(query.children, sources));
    case "and": {
      const children = yield* plansOf(query.children, sources);
      return conjunction(children, yield* plansOf(query.excluded, sources));
    }
  }
}

function* plansOf(
  queries: readonly SealedQuery[],
  sources: PlanSources,
): Generator<number, (SealedPlan | null)[]> {
  const plans: (SealedPlan | null)[] = [];
  for (const query of queries) plans.push(yield* planOf(query, sources));
  return plans;
}

/**
 * Makes the sets that evaluating a plan needs in a chunk which it was prepared for, as far as they are made in steps; yields how
 * much each step read.
 */
export function* prepareSets(plan: SealedPlan, chunk: number): Generator<number, void> {
  if (plan.most === 0) return;
  if (plan.posts?.prepare !== undefined) yield* plan.posts.prepare(chunk);
  for (const child of plan.children) yield* prepareSets(child, chunk);
  for (const child of plan.excluded) yield* prepareSets(child, chunk);
}

const plain: SealedPlan = {
  kind: "posts",
  posts: null,
  phrase: [],
  distinct: [],
  children: [],
  excluded: [],
  most: 0,
  cost: 0,
};

const postsPlan = (posts: PostSets | null): SealedPlan | null =>
  posts === null ? null : { ...plain, kind: "posts", posts };

function phrasePlan(lists: readonly (PostingList | null)[]): SealedPlan | null {
  if (!allThere(lists)) return null;
  return { ...plain, kind: "phrase", phrase: lists, distinct: [...new Set(lists)] };
}

/** Terms side by side before one of several: posts that hold those terms, and one of the phrases that they make together. */
function prefixPlan(
  lists: readonly (PostingList | null)[],
  last: PrefixList | null,
): SealedPlan | null {
  if (last === null || !allThere(lists)) return null;
  if (lists.length === 0) return postsPlan(last.any);
  const phrases = last.positioned.map((ending) => phrasePlan([...lists, ending]));
  return conjunction([...new Set(lists)].map(postsPlan).concat(disjunction(phrases)), []);
}

function disjunction(children: readonly (SealedPlan | null)[]): SealedPlan | null {
  const possible = children.filter((child) => child !== null);
  if (possible.length < 2) return possible[0] ?? null;
  return { ...plain, kind: "or", children: possible };
}

/** What is left out is left out term by term first: the fewer posts are left, the fewer phrases have to be looked at. */
function conjunction(
  children: readonly (SealedPlan | null)[],
  excluded: readonly (SealedPlan | null)[],
): SealedPlan | null {
  if (!allThere(children)) return null;
  const possible = excluded.filter((child) => child !== null);
  const [only] = children;
  if (only !== undefined && children.length === 1 && possible.length === 0) return only;
  return {
    ...plain,
    kind: "and",
    children: [...children],
    excluded: possible.toSorted((a, b) => latenessOf(a) - latenessOf(b)),
  };
}

function allThere<Value>(values: readonly (Value | null)[]): values is readonly Value[] {
  return values.every((value) => value !== null);
}

/** Posts are there at once, groups have to be put together, and of phrases the positions have to be read. */
export function latenessOf(plan: SealedPlan): number {
  if (plan.kind === "posts") return 0;
  return plan.kind === "phrase" ? 2 : 1;
}
