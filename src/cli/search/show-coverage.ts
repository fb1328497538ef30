import type { PlatformCoverage } from "../../archive/archive.ts";
import type { Coverage, SourceAnswer } from "../../platforms/source.ts";
import { drawCoverage, showsUnicode } from "../terminal/draw-coverage.ts";
import { drawTimelines } from "../terminal/draw-timelines.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/text-layout.ts";

/** An empty list must never hide a gap. */
export function coverageSentence({ coverage }: Pick<SourceAnswer, "coverage">): string {
  if (coverage.complete) return "The archive covers this time completely";
  return coversSome(coverage)
    ? "There may be more: the archive does not cover all of this time"
    : "There may be more: the archive does not cover this time";
}

const coversSome = ({ platforms = [] }: Coverage): boolean =>
  platforms.some(({ collection, held: covered }) => collection === "posts" && covered.length > 0);

const listedGaps = 3;

export function coverageLines(
  {
    coverage,
    warnings,
  }: Pick<SourceAnswer, "coverage"> & { warnings: readonly { code: string; message: string }[] },
  covered: readonly PlatformCoverage[],
  { nowMs, slackMs }: { nowMs: number; slackMs: number },
  terminal: Terminal,
): string[] {
  const options = {
    width: terminal.columns,
    nowMs,
    listedGaps,
    unicode: showsUnicode(terminal),
  };
  const notes = warnings
    .filter(({ code }) => code === "counts_incomplete" || code === "labels_incomplete")
    .flatMap(({ message }) => wrap(message, terminal.columns));
  if (coverage.complete) return notes;
  if (!coversSome(coverage)) {
    const withCoverage = covered.filter(({ intervals }) => intervals.length > 0);
    return [
      ...(withCoverage.length === 0 ? [] : drawCoverage(withCoverage, { ...options, slackMs })),
      ...notes,
    ];
  }
  const rows = (coverage.platforms ?? [])
    .filter(({ collection }) => collection === "posts")
    .map(({ platform, held: covered, gaps }) => ({ name: platform, covered, gaps }));
  const { fromMs, toMs } = coverage;
  return [...drawTimelines(rows, { ...options, fromMs, toMs }), ...notes];
}
