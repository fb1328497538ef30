import type { PostingList, PostSets } from "./posting-list.ts";
import type { PrefixList } from "./prefix-list.ts";
import type { SealedQuery } from "./sealed-query.ts";

export type SealedPlan = {
  readonly kind: "postings" | "phrase" | "or" | "and";
  readonly postings: PostSets | null;
  readonly phrase: readonly PostingList[];
  readonly distinctLists: PostingList[];
  /** An `and` without children matches every post. Evaluation reorders the children. */
  readonly children: SealedPlan[];
  readonly excluded: readonly SealedPlan[];
  /** Upper bound of matches in the current chunk. */
  maxMatches: number;
  cost: number;
};

export type PlanSources = {
  term(term: string): PostingList | null;
  prefix(prefix: string): Generator<number, PrefixList | null>;
};

/** Returns null if no post can match. Yields the number of terms read. */
export function* makeSealedPlan(
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
      return postingsPlan(sources.term(query.term));
    case "phrase":
      yield query.terms.length;
      return phrasePlan(query.terms.map(sources.term));
    case "prefix": {
      const lists = query.terms.map(sources.term);
      return prefixPlan(lists, yield* sources.prefix(query.prefix));
    }
    case "or":
      return disjunction(yield* makePlans(query.children, sources));
    case "and": {
      const children = yield* makePlans(query.children, sources);
      return conjunction(children, yield* makePlans(query.excluded, sources));
    }
  }
}

function* makePlans(
  queries: readonly SealedQuery[],
  sources: PlanSources,
): Generator<number, (SealedPlan | null)[]> {
  const plans: (SealedPlan | null)[] = [];
  for (const query of queries) plans.push(yield* makeSealedPlan(query, sources));
  return plans;
}

/** The plan must have been prepared for the chunk. Yields the cost of each step. */
export function* prepareSets(plan: SealedPlan, chunk: number): Generator<number, void> {
  if (plan.maxMatches === 0) return;
  if (plan.postings?.prepare !== undefined) yield* plan.postings.prepare(chunk);
  for (const child of plan.children) yield* prepareSets(child, chunk);
  for (const child of plan.excluded) yield* prepareSets(child, chunk);
}

const emptyPlan: SealedPlan = {
  kind: "postings",
  postings: null,
  phrase: [],
  distinctLists: [],
  children: [],
  excluded: [],
  maxMatches: 0,
  cost: 0,
};

const postingsPlan = (postings: PostSets | null): SealedPlan | null =>
  postings === null ? null : { ...emptyPlan, kind: "postings", postings };

function phrasePlan(lists: readonly (PostingList | null)[]): SealedPlan | null {
  if (!allPresent(lists)) return null;
  return { ...emptyPlan, kind: "phrase", phrase: lists, distinctLists: [...new Set(lists)] };
}

function prefixPlan(
  lists: readonly (PostingList | null)[],
  prefixList: PrefixList | null,
): SealedPlan | null {
  if (prefixList === null || !allPresent(lists)) return null;
  if (lists.length === 0) return postingsPlan(prefixList.union);
  const phrases = prefixList.positionalLists.map((ending) => phrasePlan([...lists, ending]));
  return conjunction([...new Set(lists)].map(postingsPlan).concat(disjunction(phrases)), []);
}

function disjunction(children: readonly (SealedPlan | null)[]): SealedPlan | null {
  const possiblePlans = children.filter((child) => child !== null);
  if (possiblePlans.length < 2) return possiblePlans[0] ?? null;
  return { ...emptyPlan, kind: "or", children: possiblePlans };
}

function conjunction(
  children: readonly (SealedPlan | null)[],
  excluded: readonly (SealedPlan | null)[],
): SealedPlan | null {
  if (!allPresent(children)) return null;
  const excludedPlans = excluded.filter((child) => child !== null);
  const [onlyChild] = children;
  if (onlyChild !== undefined && children.length === 1 && excludedPlans.length === 0)
    return onlyChild;
  return {
    ...emptyPlan,
    kind: "and",
    children: [...children],
    excluded: excludedPlans.toSorted((a, b) => evaluationRank(a) - evaluationRank(b)),
  };
}

function allPresent<Value>(values: readonly (Value | null)[]): values is readonly Value[] {
  return values.every((value) => value !== null);
}

/**
 * Terms come first, then groups, which must be combined, and finally phrases, which need positions.
 */
export function evaluationRank(plan: SealedPlan): number {
  if (plan.kind === "postings") return 0;
  return plan.kind === "phrase" ? 2 : 1;
}
