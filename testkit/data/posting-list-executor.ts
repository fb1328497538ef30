import { atLeast, hasGeo } from "@earshot/query/facets";
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
  candidates: number;
  rechecked: number;
};

type Numbers = ReadonlySet<number>;
type Side = "superset" | "subset";
type Found = { posts: Numbers; exact: boolean };
type Postings = ReadonlyMap<number, Numbers>;

export function postingListExecutor(subjects: readonly Subject[]): PostingListExecutor {
  const posts = subjects.toSorted(comparePositions);
  const everyPost: Numbers = new Set(posts.keys());
  const nothing: Found = { posts: new Set(), exact: true };
  const index = buildIndex(posts);

  function find(side: Side, plan: PlanNode): Found {
    switch (plan.kind) {
      case "all":
        return { posts: everyPost, exact: true };
      case "none":
        return nothing;
      case "and":
        return combine(side, plan.children, inBoth, everyPost);
      case "or":
        return combine(side, plan.children, inEither, nothing.posts);
      case "not": {
        const child = find(side === "superset" ? "subset" : "superset", plan.child);
        return { posts: without(everyPost, child.posts), exact: child.exact };
      }
      case "terms":
        return { posts: containing(plan.elements), exact: true };
      case "time":
      case "id":
        return { posts: side === "superset" ? everyPost : nothing.posts, exact: false };
      case "platform":
        return { posts: where(({ platform }) => platform === plan.platform), exact: true };
      case "min-count":
        return withMinCount(side, plan);
      case "geo":
        return { posts: side === "superset" ? withToken(hasGeo) : nothing.posts, exact: false };
    }
  }

  function combine(
    side: Side,
    children: readonly PlanNode[],
    join: typeof inBoth,
    start: Numbers,
  ): Found {
    const sets = children.map((child) => find(side, child));
    return {
      posts: sets.reduce((joined, found) => join(joined, found.posts), start),
      exact: sets.every(({ exact }) => exact),
    };
  }

  function withMinCount(side: Side, plan: PlanNode & { kind: "min-count" }): Found {
    const threshold =
      side === "superset"
        ? countThresholds.findLast((other) => other <= plan.atLeast)
        : countThresholds.find((other) => other >= plan.atLeast);
    if (threshold !== undefined) {
      const token = atLeast(plan.metric, threshold);
      return { posts: withToken(token), exact: threshold === plan.atLeast };
    }
    return { posts: side === "superset" ? everyPost : nothing.posts, exact: false };
  }

  const where = (holds: (post: Subject) => boolean): Numbers =>
    new Set(posts.flatMap((post, number) => (holds(post) ? [number] : [])));
  const withToken = (token: string): Numbers => new Set(index.get(token)?.keys() ?? []);

  function containing(elements: readonly SequenceElement[]): Numbers {
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
    const merged = new Map<number, Numbers>();
    for (const [term, postings] of index) {
      if (!fits(term)) continue;
      for (const [number, positions] of postings) {
        merged.set(number, inEither(positions, merged.get(number) ?? new Set()));
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
      const matching = exact ? candidates : candidates.filter((post) => matches(plan, post));
      const positions = matching.slice(0, limit).map(({ id, platform }) => ({ id, platform }));
      const next = matching.length > limit ? (positions.at(-1) ?? null) : null;
      const rechecked = exact ? 0 : candidates.length;
      return { positions, next, candidates: candidates.length, rechecked };
    },
  };
}

const inBoth = (a: Numbers, b: Numbers): Numbers => new Set([...a].filter((n) => b.has(n)));
const inEither = (a: Numbers, b: Numbers): Numbers => new Set([...a, ...b]);
const without = (a: Numbers, b: Numbers): Numbers => new Set([...a].filter((n) => !b.has(n)));

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
