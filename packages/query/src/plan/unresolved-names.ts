import type { QueryNames, ResolvedNames } from "./make-plan.ts";
import type { PlanNode } from "./plan.ts";

/** For a plan that is displayed but not run. */
export type UnresolvedNames = {
  names: ResolvedNames;
  nameIn(node: PlanNode): { facet: string; subject: "account" | "post"; name: string } | null;
};

/** The keys of real accounts and posts begin with their platform, so no other term matches. */
const knownIndex =
  /^(from:|to:|@|quoted-user:|reposted-user:|conversation:|reply:|quoted:|reposted:)\?\/(\d+)$/;
const postFacets: ReadonlySet<string> = new Set([
  "conversation:",
  "reply:",
  "quoted:",
  "reposted:",
]);

export function unresolvedNames({ accounts, posts }: QueryNames): UnresolvedNames {
  const indexes = (names: readonly string[]) =>
    new Map(names.map((name, index) => [name, [`?/${index}`]]));
  return {
    names: { accounts: indexes(accounts), posts: indexes(posts) },
    nameIn: (node) => {
      const [element, ...more] = node.kind === "terms" ? node.elements : [];
      if (element?.kind !== "token" || more.length > 0) return null;
      const [, facet = "", index] = knownIndex.exec(element.token) ?? [];
      const subject = postFacets.has(facet) ? "post" : "account";
      const name = (subject === "post" ? posts : accounts)[Number(index)];
      return name === undefined ? null : { facet, subject, name };
    },
  };
}
