import type { QueryNames, ResolvedNames } from "./make-plan.ts";
import type { PlanNode } from "./plan.ts";

/**
 * A plan made where nothing can tell what names stand for: each name takes the place of the account, or the post, that it would
 * be. Such a plan is there to be shown, not to be run.
 */
export type UnresolvedNames = {
  /** To make the plan with. */
  names: ResolvedNames;
  /** The facet without its value, and the name that stands in for it; null for any other node. */
  read(node: PlanNode): { facet: string; subject: "account" | "post"; name: string } | null;
};

/** Keys of accounts and posts begin with their platform, so nothing else in a plan looks like a place held for one. */
const heldPlace =
  /^(from:|to:|@|quoted-user:|reposted-user:|conversation:|reply:|quoted:|reposted:)\?\/(\d+)$/;
const facetsOfPosts: ReadonlySet<string> = new Set([
  "conversation:",
  "reply:",
  "quoted:",
  "reposted:",
]);

export function unresolvedNames({ accounts, posts }: QueryNames): UnresolvedNames {
  const places = (names: readonly string[]) =>
    new Map(names.map((name, index) => [name, [`?/${index}`]]));
  return {
    names: { accounts: places(accounts), posts: places(posts) },
    read: (node) => {
      const [element, ...more] = node.kind === "terms" ? node.elements : [];
      if (element?.kind !== "token" || more.length > 0) return null;
      const [, facet = "", index] = heldPlace.exec(element.token) ?? [];
      const subject = facetsOfPosts.has(facet) ? "post" : "account";
      const name = (subject === "post" ? posts : accounts)[Number(index)];
      return name === undefined ? null : { facet, subject, name };
    },
  };
}
