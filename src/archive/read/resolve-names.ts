import type { DatabaseSync } from "node:sqlite";
import { accountById, fromAccount } from "@earshot/query/facets";
import type { PlanNode, QueryNames, ResolvedNames } from "@earshot/query/plan";
import { platforms } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { blueskyUri, postKey, readNamedPost } from "../../posts/references.ts";
import type { CoverageInterval, PlatformCoverage } from "../archive.ts";
import { type accountCoverage, accountIds, resolveAccount } from "../catalog/catalog.ts";
import type { StoredRows } from "./stored-rows.ts";

export function nameResolver(
  catalog: DatabaseSync,
  readRows: StoredRows["readRows"],
): (names: QueryNames, isSliceOver: () => boolean) => Generator<void, ResolvedNames> {
  /**
   * A number may be an X post's native ID or any stored post's ID. A handle means every account
   * that ever had it.
   */
  function resolvePost(name: string): string[] {
    const { number, keys, bluesky } = readNamedPost(name);
    const storedKeys =
      number === null
        ? []
        : readRows(platforms.map((platform) => ({ id: number, platform }))).rows.map((row) =>
            postKey(row.platform, { id: null, uri: recordUri(row) }),
          );
    const linkedKeys =
      bluesky === null
        ? []
        : accountIds(catalog, "bluesky", bluesky.handle).map((did) =>
            postKey("bluesky", { id: null, uri: blueskyUri(did, bluesky.key) }),
          );
    return [...new Set([...keys, ...storedKeys, ...linkedKeys])].filter((key) => key !== null);
  }

  return function* (names, isSliceOver) {
    const resolvedNames = {
      accounts: new Map<string, string[]>(),
      posts: new Map<string, string[]>(),
    };
    for (const name of names.accounts) {
      resolvedNames.accounts.set(name, resolveAccount(catalog, name));
      if (isSliceOver()) yield;
    }
    for (const name of names.posts) {
      resolvedNames.posts.set(name, resolvePost(name));
      if (isSliceOver()) yield;
    }
    return resolvedNames;
  };
}

/** If a plan has more authors, only the coverage of all accounts is used. */
const maxAuthors = 256;

export function authorsCoverage(
  readCoverage: ReturnType<typeof accountCoverage>,
  plan: PlanNode,
): CoverageInterval[] {
  const authors = authorsIn(plan);
  if (authors.size > maxAuthors) return [];
  return platforms.flatMap((platform) => {
    const prefix = fromAccount(accountById(platform, ""));
    return [...authors]
      .filter((facet) => facet.startsWith(prefix))
      .flatMap((facet) => readCoverage(platform, facet.slice(prefix.length)));
  });
}

export function withAuthorCoverage(
  coverage: readonly PlatformCoverage[],
  authorIntervals: readonly CoverageInterval[],
): readonly PlatformCoverage[] {
  if (authorIntervals.length === 0) return coverage;
  return coverage.map((entry) => {
    const platformIntervals = authorIntervals.filter(({ platform }) => platform === entry.platform);
    return platformIntervals.length === 0
      ? entry
      : { ...entry, intervals: [...entry.intervals, ...platformIntervals] };
  });
}

function authorsIn(plan: PlanNode): Set<string> {
  const authors = new Set<string>();
  const prefix = fromAccount("");
  const visit = (node: PlanNode): void => {
    if (node.kind === "and" || node.kind === "or") node.children.forEach(visit);
    else if (node.kind === "not") visit(node.child);
    else if (node.kind === "terms" && node.elements.length === 1) {
      const [element] = node.elements;
      if (element?.kind === "token" && element.token.startsWith(prefix)) authors.add(element.token);
    }
  };
  visit(plan);
  return authors;
}
