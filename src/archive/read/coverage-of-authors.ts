import { accountById, fromAccount } from "@earshot/query/facets";
import type { PlanNode } from "@earshot/query/plan";
import { platforms } from "../../posts/post.ts";
import type { CoverageInterval, PlatformCoverage } from "../archive.ts";
import type { accountCoverage } from "../catalog/catalog.ts";

/** If a plan has more, only the coverage of all accounts is used. */
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
    const added = authorIntervals.filter(({ platform }) => platform === entry.platform);
    return added.length === 0 ? entry : { ...entry, intervals: [...entry.intervals, ...added] };
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
