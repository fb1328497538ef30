import { subtractSpans, unionSpans } from "../../lib/spans.ts";
import type { Coverage, SourceAnswer, UnsearchedSpan } from "../../platforms/source.ts";

/** Time outside the method's window is every platform's gap. */
export function withUnsearched<Answer extends Pick<SourceAnswer, "complete" | "coverage">>(
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
