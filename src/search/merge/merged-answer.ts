import type { SearchMethod } from "../../platforms/methods.ts";
import type { AnswerRequest, Coverage, SourceAnswer } from "../../platforms/source.ts";
import { type ArchivedAnswer, coverageWarnings } from "../archive/search.ts";
import type { PlatformPart } from "../platform/search-platform.ts";
import { type MergedPart, merge } from "./merge.ts";

export type MergeableSearch = AnswerRequest & { method: SearchMethod };

/** Orders items newest first. Errors: a platform's temporary error if there is no other answer. */
export function mergeAnswers(
  { maxResults }: MergeableSearch,
  archivedAnswer: ArchivedAnswer,
  { parts, coverage }: { parts: readonly PlatformPart[]; coverage: Coverage },
): SourceAnswer {
  const archivePart: MergedPart = { items: archivedAnswer.items, moreAfter: archivedAnswer.next };
  const { items, next } = merge(
    [archivePart, ...parts.map(({ mergedPart }) => mergedPart)],
    maxResults,
  );
  const retryableError = parts.find((part) => part.error?.retryable === true)?.error ?? null;
  if (items.length === 0 && next === null && retryableError !== null) throw retryableError;

  const isFullySearched =
    archivedAnswer.isFullySearched && parts.every((part) => part.isFullySearched);
  const includedItems = new Set<unknown>(items);
  return {
    items,
    next,
    complete: archivedAnswer.isFullySearched && coverage.complete && parts.every(hasSucceeded),
    coverage,
    sources: [
      ...archivedAnswer.sources.map((source) => ({
        ...source,
        count: archivedAnswer.items.filter(
          (item) => item.platform === source.platform && includedItems.has(item),
        ).length,
      })),
      ...parts
        .flatMap(({ sources }) => sources)
        .map(({ source, items: found }) => ({
          ...source,
          count: found.filter((item) => includedItems.has(item)).length,
        })),
      ...parts.flatMap(({ billedSources }) => billedSources),
    ],
    warnings: [
      ...coverageWarnings(
        coverage,
        items,
        isFullySearched || next === null || items.length === maxResults,
      ),
      ...archivedAnswer.warnings.filter(({ code }) => !replacedWarnings.has(code)),
      ...parts.flatMap(({ warnings }) => warnings),
    ],
  };
}

const replacedWarnings = new Set(["incomplete_coverage", "deadline_reached"]);

const hasSucceeded = ({ error }: PlatformPart): boolean => error === null;
