import type { DatabaseSync } from "node:sqlite";
import type { PlanNode } from "../query/plan.ts";
import { accountById, fromAccount } from "../text/facets.ts";
import type { PlatformCoverage } from "./archive.ts";
import { readCoverageOfAccount } from "./catalog.ts";

/** Authors of one plan whose own intervals are looked up; a plan that names more is answered by what is held of everybody. */
const mostAuthors = 256;

/** What is held of everybody, and of the authors that a plan names. */
export function heldFor(
  catalog: DatabaseSync,
  ofAll: readonly PlatformCoverage[],
  plan: PlanNode,
): readonly PlatformCoverage[] {
  const authors = authorsIn(plan);
  if (authors.size === 0 || authors.size > mostAuthors) return ofAll;
  return ofAll.map((entry) => {
    const prefix = fromAccount(accountById(entry.platform, ""));
    const own = [...authors]
      .filter((facet) => facet.startsWith(prefix))
      .flatMap((facet) =>
        readCoverageOfAccount(catalog, entry.platform, facet.slice(prefix.length)),
      );
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
