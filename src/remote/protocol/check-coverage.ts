import { isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import { answerRefused } from "./errors.ts";
import type { Knowledge } from "./knowledge-text.ts";
import { leastWindow } from "./least-window.ts";

type Coverage = Knowledge["coverage"];
type Span = Coverage["gaps"][number];

/**
 * Whether coverage can be that of an answer to a request. Errors: `answer_refused` with `coverage_malformed`,
 * `coverage_of_other_platform`, `coverage_contradictory`, `coverage_outside_window` or `coverage_too_narrow`.
 */
export function checkCoverage(request: AnswerRequest, coverage: Coverage): void {
  const platforms = coverage.platforms ?? [];
  const each = platforms.map(({ platform, collection }) => `${platform} ${collection}`);
  const all = [coverage, ...platforms];
  const lists = all.flatMap((known) => [known.gaps, "held" in known ? known.held : []]);
  if (new Set(each).size < each.length || !lists.every(isInOrder)) {
    throw answerRefused("coverage_malformed", "the coverage names spans that are none");
  }
  if (platforms.some(({ platform }) => !isAsked(request, platform))) {
    throw answerRefused("coverage_of_other_platform", "the coverage is of a platform not asked");
  }
  if (all.some((known) => known.complete !== (known.gaps.length === 0))) {
    throw answerRefused(
      "coverage_contradictory",
      "the coverage is complete and has gaps, or neither",
    );
  }
  const posts = platforms.filter(({ collection }) => collection === "posts");
  const told = [coverage, ...posts.flatMap(({ held, gaps }) => [...held, ...gaps])];
  if (!told.every((span) => isWithin(span, coverage)) || !isWithinAsked(request, coverage)) {
    throw answerRefused("coverage_outside_window", "the coverage is of more than was asked for");
  }
  const hasRecentSearch = posts.some(({ platform }) => platform === "x");
  const least = coverage.complete ? leastWindow(request, { hasRecentSearch }) : null;
  if (least !== null && !isWithin(least, coverage)) {
    throw answerRefused("coverage_too_narrow", "the coverage is complete for a part of the window");
  }
}

/** Spans one after another, each with a beginning before its end. */
function isInOrder(spans: readonly Span[]): boolean {
  return spans.every(({ fromMs, toMs }, index) => {
    const previous = spans[index - 1];
    const isSpan = fromMs === null ? index === 0 : fromMs < toMs;
    return isSpan && (previous === undefined || fromMs === null || previous.toMs <= fromMs);
  });
}

const isWithin = (span: Span, { fromMs, toMs }: Span): boolean =>
  span.toMs <= toMs && (fromMs === null || (span.fromMs !== null && span.fromMs >= fromMs));

/** A window in which nothing can lie is without length, wherever it is. */
function isWithinAsked({ method, fromMs, toMs, asOfMs }: AnswerRequest, coverage: Span): boolean {
  if (coverage.fromMs === coverage.toMs) return true;
  return isSearch(method)
    ? isWithin(coverage, { fromMs, toMs })
    : coverage.toMs <= Math.max(toMs, asOfMs);
}

/** Whether a request is for posts of this platform, among others or alone. */
export const isAsked = ({ platform }: Pick<AnswerRequest, "platform">, one: string): boolean =>
  platform === "social" || platform === one;
