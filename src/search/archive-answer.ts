import type { SourceAnswer } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";
import type { ArchivedAnswer } from "./archive/search.ts";
import { searchCoverage } from "./merge/completeness.ts";
import { type MergeableSearch, mergeAnswers } from "./merge/merged-answer.ts";

export function archiveAnswer(
  request: MergeableSearch,
  archived: ArchivedAnswer,
  requestable: readonly Platform[],
): SourceAnswer {
  const { after, method } = request;
  if (after === null) return toSourceAnswer(archived);
  const isLive = method === "searchbyquery";
  const coverage = searchCoverage(archived.coverage, { searched: [], requestable, after, isLive });
  return mergeAnswers(request, archived, { parts: [], coverage });
}

const toSourceAnswer = ({
  tree,
  names,
  plan,
  isSearched,
  ...answer
}: ArchivedAnswer): SourceAnswer => answer;
