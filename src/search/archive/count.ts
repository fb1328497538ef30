import { makePlan, namesIn } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { CountAnswer } from "../../archive/archive.ts";
import type { Coverage, SearchPlatform, SourceWarning } from "../../platforms/source.ts";
import { platforms } from "../../posts/post.ts";
import { withDamage } from "../merge/damage.ts";
import { archiveCoverage } from "./coverage.ts";
import { type ArchiveSource, accountField } from "./search.ts";

/** `fromMs` is inclusive, `toMs` exclusive. */
export type CountsRequest = {
  platform: SearchPlatform;
  tree: QueryNode;
  fromMs: number;
  toMs: number;
  bucketMs: number;
  asOfMs: number;
  account?: string;
};

export type SourceCounts = Pick<CountAnswer, "buckets" | "countedFromMs"> & {
  complete: boolean;
  coverage: Coverage;
  warnings: readonly SourceWarning[];
};

export async function countArchive(
  source: ArchiveSource,
  request: CountsRequest,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<SourceCounts> {
  const { archive } = source;
  const { platform, tree, fromMs, toMs, bucketMs, asOfMs, account } = request;
  const names = await archive.resolve(namesIn(tree));
  const plan = makePlan(tree, { names, asOfMs });
  const searchedPlatforms = platform === "social" ? platforms : [platform];
  const {
    buckets,
    countedFromMs,
    damage,
    coverage: recordedCoverage,
  } = await archive.count(
    {
      plan,
      platforms: searchedPlatforms,
      fromMs,
      toMs,
      bucketMs,
      deadlineMs,
      ...accountField(account),
    },
    signal,
  );
  const scope = { platform, tree, names, plan, fromMs: countedFromMs, toMs };
  const archivedCoverage = archiveCoverage(source, recordedCoverage, scope);
  const { coverage, warnings } = withDamage(
    { ...archivedCoverage, complete: archivedCoverage.coverage.complete },
    damage,
  );
  const coversWindow = countedFromMs <= fromMs;
  return {
    buckets,
    countedFromMs,
    complete: coverage.complete && coversWindow,
    coverage,
    warnings: [
      ...(coverage.complete ? [] : [incompleteCoverage]),
      ...(coversWindow ? [] : [deadlineWarning]),
      ...warnings,
    ],
  };
}

const incompleteCoverage: SourceWarning = {
  code: "incomplete_coverage",
  message: "no source covers the whole window: there may be more posts, even in empty buckets",
  hint: "see coverage.gaps for the missing parts",
};

const deadlineWarning: SourceWarning = {
  code: "deadline_reached",
  message: "the count timed out before the end of the window",
  hint: "continue with next_token",
};
