import { parseQuery } from "@earshot/query";
import { matches } from "@earshot/query/match";
import { makePlan, namesIn } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import fc from "fast-check";
import { isExpressible, printExpression } from "../../../src/platforms/x/query/expression.ts";
import { lowerQuery } from "../../../src/platforms/x/query/lower.ts";
import { shortenExpression } from "../../../src/platforms/x/query/shorten.ts";
import { narrowedWindow } from "../../../src/platforms/x/search.ts";
import { postTimeMs } from "../../../src/posts/ids.ts";
import type { Post } from "../../../src/posts/post.ts";
import { indexTerms } from "../../../src/posts/terms.ts";
import { generatedPost } from "../../data/generated.ts";
import { generatedQuery } from "../../data/generated-queries.ts";
import { asOfMs, knownPosts } from "../../data/vocabulary.ts";
import { drawnUsers, namesOnX, readBack, toEmulatedPost } from "./drawn-posts.ts";
import { matchesClause } from "./evaluate.ts";
import type { EmulatedPost } from "./model.ts";
import { readQuery } from "./query-syntax.ts";

/** Every post has a word, so that X accepts any query. */
const queryArbitrary = fc
  .tuple(generatedQuery, fc.boolean())
  .map(([query, isAnchored]) => (isAnchored ? `anchor (${query} )` : query));

type PostPair = { raw: EmulatedPost; parsedPost: Post };

const postsArbitrary: fc.Arbitrary<PostPair[]> = fc
  .tuple(
    fc.array(generatedPost(knownPosts.length), { minLength: 20, maxLength: 20 }),
    fc.constantFrom<"tweet" | "post">("tweet", "post"),
  )
  .map(([posts, naming]) =>
    posts.flatMap((post, index) => {
      const raw = toEmulatedPost({ ...post, text: `${post.text} anchor` }, index);
      const parsedPost = readBack(raw, naming);
      return parsedPost === null ? [] : [{ raw, parsedPost }];
    }),
  );

const users = new Map(drawnUsers.map((user) => [user.id, user]));

/** Throws if X rejects the query or misses a post that the matcher accepts. */
export function checkSuperset(parameters: { numRuns: number; seed: number }): {
  requestCount: number;
  matchCount: number;
} {
  let requests = 0;
  let matchCount = 0;
  const check = (query: string, posts: readonly PostPair[]): void => {
    const tree = queryTree(query);
    const request = tree === null ? null : requestFor(tree);
    if (tree === null || request === null) return;
    const clause = request === "nothing" ? null : readQuery(request, []);
    const postsById = new Map(posts.map(({ raw }) => [raw.id, raw]));
    const window = narrowedWindow(tree, { fromMs: null, toMs: asOfMs }, asOfMs);
    requests += 1;
    for (const { raw, parsedPost } of posts) {
      if (!isMatch(tree, parsedPost)) continue;
      matchCount += 1;
      const isInWindow =
        (window.fromMs === null || raw.createdMs >= Math.floor(window.fromMs / 1_000) * 1_000) &&
        raw.createdMs < Math.ceil(window.toMs / 1_000) * 1_000;
      if (isInWindow && clause !== null && matchesClause(clause, raw, users, postsById)) continue;
      throw new Error(`${query} was sent as ${request} and missed ${JSON.stringify(raw)}`);
    }
  };
  const queries = fc.array(queryArbitrary, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(queries, postsArbitrary, (texts, posts) => {
      for (const query of texts) check(query, posts);
    }),
    parameters,
  );
  return { requestCount: requests, matchCount };
}

function requestFor(tree: QueryNode): string | null {
  const expression = lowerQuery(tree, {
    names: namesOnX(namesIn(tree)),
    refusedOperators: new Set(),
  });
  if (expression.kind === "none") return "nothing";
  const shortened = isExpressible(expression) ? shortenExpression(expression, 512) : null;
  return shortened === null ? null : printExpression(shortened);
}

function isMatch(tree: QueryNode, post: Post): boolean {
  const plan = makePlan(tree, { names: namesOnX(namesIn(tree)), asOfMs });
  return matches(plan, {
    id: post.nativeId ?? 0n,
    platform: "x",
    timeMs: postTimeMs(post, asOfMs),
    counts: post.counts,
    geo: () => post.geo,
    terms: () => postTerms(post),
  });
}

const termCache = new WeakMap<Post, readonly string[]>();

function postTerms(post: Post): readonly string[] {
  const terms = termCache.get(post) ?? indexTerms(post);
  termCache.set(post, terms);
  return terms;
}

function queryTree(query: string): QueryNode | null {
  try {
    return parseQuery(query).tree;
  } catch {
    return null;
  }
}
