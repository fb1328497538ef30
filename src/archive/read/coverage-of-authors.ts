import { platforms } from "../../posts/post.ts";
import type { PlanNode } from "../../query/plan.ts";
import { accountById, fromAccount } from "../../text/facets.ts";
import type { CoverageInterval, PlatformCoverage } from "../archive.ts";
import type { coverageOfAccount } from "../catalog/catalog.ts";

/** Authors of one plan whose own intervals are looked up; a plan that names more is answered by what is held of everybody. */
const mostAuthors = 256;

/** What is held of the authors that a plan names, each alone. */
export function coverageOfAuthors(
  read: ReturnType<typeof coverageOfAccount>,
  plan: PlanNode,
): CoverageInterval[] {
  const authors = authorsIn(plan);
  if (authors.size > mostAuthors) return [];
  return platforms.flatMap((platform) => {
    const prefix = fromAccount(accountById(platform, ""));
    return [...authors]
      .filter((facet) => facet.startsWith(prefix))
      .flatMap((facet) => read(platform, facet.slice(prefix.length)));
  });
}

/** What is held of everybody with what is held of some alone. */
export function withAuthors(
  ofAll: readonly PlatformCoverage[],
  ofAuthors: readonly CoverageInterval[],
): readonly PlatformCoverage[] {
  if (ofAuthors.length === 0) return ofAll;
  return ofAll.map((entry) => {
    const own = ofAuthors.filter(({ platform }) => platform === entry.platform);
    return own.length === 0 ? entry : { ...entry, intervals: [...entry.intervals, ...own] };
  });
}

/** The facets of authors that stand in a plan, wherever they do. */
function authorsIn(plan: PlanNode): Set<string> {
  const found = new Set<string>();
  const prefix = fromAccount("");
  const visit = (node: PlanNode): void => {
    if (node.kind === "and" || node.kind === "or") node.children.forEach(visit);
    else if (node.kind === "not") visit(node.child);
    else if (node.kind === "terms" && node.elements.length === 1) {
      const [element] = node.elements;
      if (element?.kind === "token" && element.token.startsWith(prefix)) found.add(element.token);
    }
  };
  visit(plan);
  return found;
}
