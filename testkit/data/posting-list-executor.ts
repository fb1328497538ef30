import { atLeast, geoFacet } from "@earshot/query/facets";
import { matches, type Subject } from "@earshot/query/match";
import type { PlanNode } from "@earshot/query/plan";
import { GAP, type SequenceElement } from "@earshot/query/text";
import type { Position } from "../../src/archive/archive.ts";
import { comparePositions } from "../../src/archive/read/search.ts";
import { countThresholds } from "../../src/posts/terms.ts";

/** Written from docs/executors.md alone; posts are numbered in the order of results. */
export type PostingListExecutor = {
  search(request: { plan: PlanNode; limit: number; after: Position | null }): Answer;
};

type Answer = {
  positions: Position[];
  next: Position | null;
  candidateCount: number;
  recheckedCount: number;
};

type DocNumbers = ReadonlySet<number>;
type Bound = "superset" | "subset";
type FindResult = { posts: DocNumbers; exact: boolean };
type Postings = ReadonlyMap<number, DocNumbers>;

export function postingListExecutor(subjects: readonly Subject[]): PostingListExecutor {
  const posts = subjects.toSorted(comparePositions);
  const allPosts: DocNumbers = new Set(posts.keys());
  const noPosts: FindResult = { posts: new Set(), exact: true };
  const index = buildIndex(posts);

  function find(bound: Bound, plan: PlanNode): FindResult {
    switch (plan.kind) {
      case "all":
        return { posts: allPosts, exact: true };
      case "none":
        return noPosts;
      case "and":
        return combine(bound, plan.children, intersection, allPosts);
      case "or":
        return combine(bound, plan.children, union, noPosts.posts);
      case "not": {
        const child = find(bound === "superset" ? "subset" : "superset", plan.child);
        return { posts: difference(allPosts, child.posts), exact: child.exact };
      }
      case "terms":
        return { posts: findSequence(plan.elements), exact: true };
      case "time":
      case "id":
        return { posts: bound === "superset" ? allPosts : noPosts.posts, exact: false };
      case "platform":
        return { posts: selectPosts(({ platform }) => platform === plan.platform), exact: true };
      case "min-count":
        return withMinCount(bound, plan);
      case "geo":
        return { posts: bound === "superset" ? withToken(geoFacet) : noPosts.posts, exact: false };
    }
  }

  function combine(
    bound: Bound,
    children: readonly PlanNode[],
    join: typeof intersection,
    start: DocNumbers,
  ): FindResult {
    const sets = children.map((child) => find(bound, child));
    return {
      posts: sets.reduce((joined, found) => join(joined, found.posts), start),
      exact: sets.every(({ exact }) => exact),
    };
  }

  function withMinCount(bound: Bound, plan: PlanNode & { kind: "min-count" }): FindResult {
    const threshold =
      bound === "superset"
        ? countThresholds.findLast((other) => other <= plan.atLeast)
        : countThresholds.find((other) => other >= plan.atLeast);
    if (threshold !== undefined) {
      const token = atLeast(plan.metric, threshold);
      return { posts: withToken(token), exact: threshold === plan.atLeast };
    }
    return { posts: bound === "superset" ? allPosts : noPosts.posts, exact: false };
  }

  const selectPosts = (holds: (post: Subject) => boolean): DocNumbers =>
    new Set(posts.flatMap((post, number) => (holds(post) ? [number] : [])));
  const withToken = (token: string): DocNumbers => new Set(index.get(token)?.keys() ?? []);

  function findSequence(elements: readonly SequenceElement[]): DocNumbers {
    const [first, ...rest] = elements.map(findPostings);
    const starts = [...(first ?? [])];
    const found = starts.filter(([number, positions]) =>
      [...positions].some((position) =>
        rest.every((next, n) => next.get(number)?.has(position + n + 1)),
      ),
    );
    return new Set(found.map(([number]) => number));
  }

  function findPostings(element: SequenceElement): Postings {
    if (element.kind === "token") return index.get(element.token) ?? new Map();
    const fits = (term: string): boolean =>
      element.kind === "prefix" ? term.startsWith(element.prefix) : term !== GAP;
    const merged = new Map<number, DocNumbers>();
    for (const [term, postings] of index) {
      if (!fits(term)) continue;
      for (const [number, positions] of postings) {
        merged.set(number, union(positions, merged.get(number) ?? new Set()));
      }
    }
    return merged;
  }

  return {
    search: ({ plan, limit, after }) => {
      const { posts: superset, exact } = find("superset", plan);
      const candidates = posts.filter(
        (post, number) =>
          superset.has(number) && (after === null || comparePositions(after, post) < 0),
      );
      const matchingPosts = exact ? candidates : candidates.filter((post) => matches(plan, post));
      const positions = matchingPosts.slice(0, limit).map(({ id, platform }) => ({ id, platform }));
      const next = matchingPosts.length > limit ? (positions.at(-1) ?? null) : null;
      const recheckedCount = exact ? 0 : candidates.length;
      return { positions, next, candidateCount: candidates.length, recheckedCount };
    },
  };
}

const intersection = (a: DocNumbers, b: DocNumbers): DocNumbers =>
  new Set([...a].filter((n) => b.has(n)));
const union = (a: DocNumbers, b: DocNumbers): DocNumbers => new Set([...a, ...b]);
const difference = (a: DocNumbers, b: DocNumbers): DocNumbers =>
  new Set([...a].filter((n) => !b.has(n)));

function buildIndex(posts: readonly Subject[]): Map<string, Map<number, Set<number>>> {
  const index = new Map<string, Map<number, Set<number>>>();
  for (const [number, post] of posts.entries()) {
    for (const [position, term] of post.terms().entries()) {
      const postings = index.get(term) ?? new Map<number, Set<number>>();
      postings.set(number, (postings.get(number) ?? new Set<number>()).add(position));
      index.set(term, postings);
    }
  }
  return index;
}
