import { accountById } from "@earshot/query/facets";
import { matches, type Subject } from "@earshot/query/match";
import { makePlan, type ResolvedNames } from "@earshot/query/plan";
import { foldHandle } from "@earshot/query/text";
import type { QueryNode } from "@earshot/query/tree";
import { once } from "../../lib/once.ts";
import { postTimeMs } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import { indexTerms } from "../../posts/terms.ts";

export type SearchCriteria = {
  tree: QueryNode;
  names: ResolvedNames;
  asOfMs: number;
  fromMs: number | null;
  toMs: number;
  nowMs: number;
};

/**
 * An account name means the accounts that the archive knows by that name, and those with this
 * handle in `posts`.
 */
export function matchingPosts(
  posts: readonly Post[],
  ids: ReadonlyMap<string, bigint>,
  search: SearchCriteria,
): Post[] {
  const { tree, asOfMs, fromMs, toMs, nowMs } = search;
  const plan = makePlan(tree, { names: withSeenNames(search.names, posts), asOfMs });
  return posts.filter((post) => {
    const timeMs = postTimeMs(post, nowMs);
    if (timeMs >= toMs || (fromMs !== null && timeMs < fromMs)) return false;
    const subject: Subject = {
      id: ids.get(post.uri) ?? 0n,
      platform: post.platform,
      timeMs,
      counts: post.counts,
      geo: () => post.geo,
      terms: once(() => indexTerms(post)),
    };
    return matches(plan, subject);
  });
}

function withSeenNames(names: ResolvedNames, posts: readonly Post[]): ResolvedNames {
  const idsByHandle = new Map<string, Set<string>>();
  const addHandle = (post: Post, username: string | null, userId: string | null): void => {
    if (!username || !userId) return;
    const handle = foldHandle(username);
    const ids = idsByHandle.get(handle) ?? new Set();
    idsByHandle.set(handle, ids.add(accountById(post.platform, userId)));
  };
  for (const post of posts) {
    addHandle(post, post.username, post.userId);
    for (const { username, userId } of post.mentions) addHandle(post, username, userId);
    for (const reference of [post.inReplyTo, post.quoted, post.reposted]) {
      if (reference !== null) addHandle(post, reference.username, reference.userId);
    }
  }
  const accounts = [...names.accounts].map(
    ([name, keys]) => [name, [...keys, ...(idsByHandle.get(foldHandle(name)) ?? [])]] as const,
  );
  return { ...names, accounts: new Map(accounts) };
}
