import type { Archive, SearchAnswer } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { platforms } from "../../posts/post.ts";
import { makePlan, namesIn } from "../../query/make-plan.ts";
import { parseQuery } from "../../query/parse.ts";
import type { Coverage, SourceAnswer, SourceRequest, SourceWarning } from "../source.ts";
import { type ArchiveFeed, coverageOf } from "./coverage.ts";

/** What the archive source needs of its surroundings. */
export type ArchiveSource = ArchiveFeed & { archive: Archive; clock: Clock };

/**
 * Answers a search from the archive: the newest matching posts of the asked platforms, and how much of the window it holds
 * completely. Rejects with the signal's reason when that aborts; the search stops then.
 */
export async function searchArchive(
  source: ArchiveSource,
  request: SourceRequest,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<SourceAnswer> {
  const { archive } = source;
  // Its length was looked at when the job was taken.
  const { tree } = parseQuery(request.query, { maxLength: Number.POSITIVE_INFINITY });
  const names = await archive.resolve(namesIn(tree));
  signal?.throwIfAborted();
  const plan = makePlan(tree, { names, asOfMs: request.asOfMs });
  const { platform, after, maxResults, fromMs, toMs } = request;
  const searched = platform === "social" ? platforms : [platform];
  const found = await archive.search(
    { plan, platforms: searched, fromMs, toMs, after, limit: maxResults, deadlineMs },
    signal,
  );
  const asked = { platform, tree, names, plan, fromMs, toMs };
  const known = coverageOf(source, found.held, asked);
  const { coverage } = known;
  return {
    items: found.positions,
    next: found.next,
    complete: coverage.complete && found.complete,
    coverage,
    sources: known.platforms.map((platform) => ({
      platform,
      via: "archive",
      fromMs: coverage.fromMs,
      toMs: coverage.toMs,
      count: found.positions.filter((position) => position.platform === platform).length,
    })),
    warnings: [...warningsOf(coverage, found), ...known.warnings],
  };
}

function warningsOf({ gaps }: Coverage, found: SearchAnswer): SourceWarning[] {
  const warnings: SourceWarning[] = [];
  if (gaps.length > 0) {
    warnings.push({
      code: "incomplete_coverage",
      message:
        found.positions.length > 0
          ? "no source holds the whole window: there may be more posts than these"
          : "no source holds the whole window: an empty answer does not mean that there is no such post",
      hint: "see coverage.gaps for the parts that are missing",
    });
  }
  if (!found.complete) {
    warnings.push({
      code: "deadline_reached",
      message: "the search ran out of time before it had seen the whole window",
      hint: "continue with next_cursor",
    });
  }
  return warnings;
}
