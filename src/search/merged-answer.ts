import type { SearchMethod } from "../platforms/methods.ts";
import type { AnswerRequest, Coverage, SourceAnswer } from "../platforms/source.ts";
import { type ArchivedAnswer, warningsOf } from "./archive/search.ts";
import { type MergedPart, merge } from "./merge.ts";
import type { PlatformPart } from "./search-platform.ts";

export type SearchRequest = AnswerRequest & { method: SearchMethod };

/** Newest first. Errors: a platform's temporary error when there is nothing else to answer with. */
export function merged(
  { maxResults }: SearchRequest,
  held: ArchivedAnswer,
  { parts, coverage }: { parts: readonly PlatformPart[]; coverage: Coverage },
): SourceAnswer {
  const archivePart: MergedPart = { items: held.items, moreAfter: held.next };
  const { items, next } = merge([archivePart, ...parts.map(({ part }) => part)], maxResults);
  const fault = parts.find((part) => part.fault?.retryable === true)?.fault ?? null;
  if (items.length === 0 && next === null && fault !== null) throw fault;

  const isSearched = held.isSearched && parts.every((part) => part.isSearched);
  const given = new Set<unknown>(items);
  return {
    items,
    next,
    complete: held.isSearched && coverage.complete && parts.every(isWhole),
    coverage,
    sources: [
      ...held.sources.map((source) => ({
        ...source,
        count: held.items.filter((item) => item.platform === source.platform && given.has(item))
          .length,
      })),
      ...parts
        .flatMap(({ sources }) => sources)
        .map(({ source, items: found }) => ({
          ...source,
          count: found.filter((item) => given.has(item)).length,
        })),
      ...parts.flatMap(({ billed }) => billed),
    ],
    warnings: [
      ...warningsOf(coverage, items, isSearched || next === null || items.length === maxResults),
      ...held.warnings.filter(({ code }) => !ownWarnings.has(code)),
      ...parts.flatMap(({ warnings }) => warnings),
    ],
  };
}

/** Warnings that `warningsOf` repeats for the merged answer. */
const ownWarnings = new Set(["incomplete_coverage", "deadline_reached"]);

const isWhole = ({ fault }: PlatformPart): boolean => fault === null;
