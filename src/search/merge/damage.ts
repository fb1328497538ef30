import type { Damage } from "../../archive/archive.ts";
import {
  intersectSpans,
  joinOldest,
  type Span,
  subtractSpans,
  unionSpans,
} from "../../lib/spans.ts";
import type {
  CollectionCoverage,
  Coverage,
  SourceAnswer,
  SourceWarning,
  UnsearchedSpan,
} from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";

type Answer = {
  complete: boolean;
  coverage: Coverage;
  warnings: readonly SourceWarning[];
};

const maxListedGaps = 100;

export function withDamage<Known extends Answer>(answer: Known, damage: readonly Damage[]): Known {
  if (damage.length === 0) return answer;
  const { coverage, warnings } = answer;
  const { platforms = [] } = coverage;
  const platformGaps = (platform: Platform | null): Span[] =>
    gapsIn(
      coverage,
      damage.filter((part) => platform === null || part.platform === platform),
    );
  return {
    ...answer,
    complete: false,
    coverage: {
      ...coverage,
      complete: false,
      ...withGaps(coverage.gaps, platformGaps(null)),
      platforms: platforms.map((known) =>
        known.collection === "posts"
          ? addGaps(coverage, known, platformGaps(known.platform))
          : known,
      ),
    },
    warnings: [...warnings.filter(({ code }) => code !== damageWarning.code), damageWarning],
  };
}

const damageWarning: SourceWarning = {
  code: "archive_damaged",
  message: "part of the archive is damaged: posts may be missing from this answer",
  hint: "see coverage.gaps for their times, and the server's log for the repair command",
};

/**
 * The whole window if the spans are outside it, because post times may differ from those in IDs.
 */
function gapsIn(window: Span, damage: readonly Damage[]): Span[] {
  if (damage.length === 0) return [];
  const spans = damage.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? window.toMs }));
  const wholeWindow = { fromMs: window.fromMs, toMs: window.toMs };
  const damagedSpans = intersectSpans([wholeWindow], unionSpans(spans));
  return damagedSpans.length > 0 ? damagedSpans : [wholeWindow];
}

function withGaps(gaps: readonly Span[], addedGaps: readonly Span[]) {
  const allGaps = unionSpans([...gaps, ...addedGaps]);
  const reportedGaps = joinOldest(allGaps, maxListedGaps);
  return { gaps: reportedGaps, truncated: reportedGaps.length < allGaps.length };
}

function addGaps(window: Span, known: CollectionCoverage, addedGaps: Span[]): CollectionCoverage {
  if (addedGaps.length === 0) return known;
  const { gaps, truncated } = withGaps(known.gaps, addedGaps);
  return {
    ...known,
    complete: false,
    gaps,
    held: subtractSpans(window, gaps),
    truncated: truncated || known.truncated,
  };
}

/** Time outside the method's window is a gap on every platform. */
export function withUnsearchedSpan<Answer extends Pick<SourceAnswer, "complete" | "coverage">>(
  answer: Answer,
  unsearched: UnsearchedSpan | null,
): Answer {
  if (unsearched === null) return answer;
  return { ...answer, complete: false, coverage: withGap(answer.coverage, unsearched) };
}

function withGap(coverage: Coverage, gap: UnsearchedSpan): Coverage {
  const isEmpty = coverage.fromMs === coverage.toMs;
  const window = { fromMs: gap.fromMs, toMs: isEmpty ? gap.toMs : coverage.toMs };
  const platforms = coverage.platforms?.map((known) => {
    if (known.collection !== "posts") return known;
    const gaps = unionSpans([gap, ...(isEmpty ? [] : known.gaps)]);
    return { ...known, complete: false, gaps, held: subtractSpans(window, gaps) };
  });
  return {
    ...coverage,
    ...window,
    complete: false,
    gaps: unionSpans([gap, ...(isEmpty ? [] : coverage.gaps)]),
    ...(platforms === undefined ? {} : { platforms }),
  };
}
