import type { QueryNode } from "@earshot/query/tree";
import { isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import { firstTimeMs, hasTime, idTimeMs } from "../../posts/ids.ts";
import { liveToleranceMs } from "../../search/merge/completeness.ts";
import { earliestMatchMs } from "../../search/methods/archived-answer.ts";
import { parseSearchQuery } from "../../search/parse-search-query.ts";
import { answerRefused } from "./errors.ts";
import type { Knowledge } from "./texts.ts";

type Span = { fromMs: number | null; toMs: number };

/** Live streams lag: complete coverage may end this long before the present. */
const streamToleranceMs = 60_000;

const idToleranceMs = 1_000;

/** Coverage must be within the window and, if complete, extend over all of it. */
export function checkCoverage(request: AnswerRequest, coverage: Knowledge["coverage"]): void {
  const { platforms = [], complete } = coverage;
  if (platforms.some(({ platform }) => !isRequested(request, platform))) throw otherPlatform();
  const postCoverage = platforms.filter(({ collection }) => collection === "posts");
  const spans = postCoverage.flatMap(({ held, gaps }) => [...held, ...gaps]);
  if (!isWithinWindow(request, coverage) || !spans.every((span) => isWithin(span, coverage))) {
    throw answerRefused("coverage_outside_window", "the coverage exceeds the requested window");
  }
  const hasRecentSearch = postCoverage.some(({ platform }) => platform === "x");
  const requiredSpan = complete ? requiredWindow(request, hasRecentSearch) : null;
  if (requiredSpan !== null && !isWithin(requiredSpan, coverage)) {
    throw answerRefused(
      "coverage_too_narrow",
      "the answer claims complete coverage, but covers only part of the window",
    );
  }
}

export const isRequested = ({ platform }: Pick<AnswerRequest, "platform">, text: string): boolean =>
  platform === "social" || platform === text;

export const otherPlatform = () =>
  answerRefused("other_platform", "the answer contains a platform that was not requested");

const isWithin = (span: Span, { fromMs, toMs }: Span): boolean =>
  span.toMs <= toMs && (fromMs === null || (span.fromMs !== null && span.fromMs >= fromMs));

function isWithinWindow({ method, fromMs, toMs, asOfMs }: AnswerRequest, coverage: Span): boolean {
  const isEmpty = coverage.fromMs === coverage.toMs;
  if (isEmpty) return true;
  if (!isSearch(method)) return coverage.toMs <= Math.max(toMs, asOfMs);
  return isWithin(coverage, { fromMs, toMs });
}

/**
 * The window minus what the query, or the target of a replies request, excludes. Null if nothing
 * remains.
 */
function requiredWindow(request: AnswerRequest, hasRecentSearch: boolean): Span | null {
  const { method, query, target = null, fromMs, toMs, asOfMs, after } = request;
  if (!isSearch(method)) {
    const storedMs = target === null ? null : earliestMatchMs(method, target);
    return widestSpan([fromMs, storedMs], [Math.min(toMs, asOfMs) - streamToleranceMs]);
  }
  const { tree } = parseSearchQuery(query, { maxLength: Number.POSITIVE_INFINITY });
  const bounds = timeBounds(tree, asOfMs);
  const allowsLateStart = method === "searchbyquery" && hasRecentSearch && fromMs !== null;
  const expectedEndMs = toMs < asOfMs ? toMs : toMs - streamToleranceMs;
  return widestSpan(
    [allowsLateStart ? fromMs + liveToleranceMs : fromMs, ...bounds.froms],
    // Later pages contain older posts.
    [expectedEndMs, after === null ? expectedEndMs : idTimeMs(after.id), ...bounds.tos],
  );
}

function widestSpan(froms: readonly (number | null)[], tos: readonly number[]): Span | null {
  const bounds = froms.filter((ms) => ms !== null);
  const fromMs = bounds.length === 0 ? null : Math.max(...bounds);
  const toMs = Math.min(...tos);
  return fromMs === null || fromMs < toMs ? { fromMs, toMs } : null;
}

function timeBounds(
  node: QueryNode,
  asOfMs: number,
  isNegated = false,
): { froms: number[]; tos: number[] } {
  const notBefore = (ms: number, tolerance = 0) =>
    isNegated ? { froms: [], tos: [ms - tolerance] } : { froms: [ms + tolerance], tos: [] };
  const notAfter = (ms: number, tolerance = 0) =>
    isNegated ? { froms: [ms + tolerance], tos: [] } : { froms: [], tos: [ms - tolerance] };
  switch (node.kind) {
    case "and":
    case "or": {
      const bounds = node.children.map((child) => timeBounds(child, asOfMs, isNegated));
      return { froms: bounds.flatMap(({ froms }) => froms), tos: bounds.flatMap(({ tos }) => tos) };
    }
    case "not":
      return timeBounds(node.child, asOfMs, !isNegated);
    case "since":
      return notBefore(node.ms);
    case "within":
      return notBefore(asOfMs - node.ms);
    case "until":
      return notAfter(node.ms);
    case "since-id":
      return notBefore(idTime(node.id), idToleranceMs);
    case "max-id":
      return notAfter(idTime(node.id), idToleranceMs);
    default:
      return { froms: [], tos: [] };
  }
}

const idTime = (id: string): number => (hasTime(BigInt(id)) ? idTimeMs(BigInt(id)) : firstTimeMs);
