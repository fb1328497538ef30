import type { TimeStep } from "../../components/brush.tsx";
import type { TraceData } from "../../components/trace-drawing.ts";
import { coverageText, innerGaps } from "../../coverage-text.ts";
import type { JobCoverage, JobSource, JobSpan } from "../../jobs/job.ts";
import { platformNames } from "../../platforms.ts";

type JobCoverageRow = {
  id: string;
  name: string;
  summary: string;
  label: string;
  parts: TraceData;
};

export type CoverageRows = { window: TimeStep; rows: JobCoverageRow[] };

/** Share of the axis before the first known time if a search has no start. */
const leadShare = 0.1;

/** Null if there is no time to draw. */
export function coverageRows(
  { from, to, platforms }: JobCoverage,
  sources: readonly JobSource[],
  nowMs: number,
): CoverageRows | null {
  if (platforms.length === 0) return null;
  const toMs = Date.parse(to);
  const spans = platforms.flatMap(({ held, gaps }) => [...held, ...gaps]);
  const window = { fromMs: from === null ? computeStart(spans, toMs) : Date.parse(from), toMs };
  if (window.fromMs >= toMs) return null;
  const plotSpans = (list: readonly JobSpan[]) =>
    list.map((span) => ({
      fromMs: span.from === null ? window.fromMs : Date.parse(span.from),
      toMs: Date.parse(span.to),
    }));
  const rows = platforms.map((platformCoverage) => {
    const { platform, collection, held, gaps } = platformCoverage;
    const name =
      collection === "posts"
        ? platformNames[platform]
        : `${platformNames[platform]}: ${collection}`;
    const drawnGaps = held.length === 0 ? [] : plotSpans(innerGaps(held, gaps));
    const platformSources =
      collection === "posts" ? sources.filter((source) => source.platform === platform) : [];
    const summary = coverageText(platformCoverage, platformSources, { from, to }, nowMs);
    return {
      id: `${platform} ${collection}`,
      name,
      summary,
      label: `${name}: ${summary}`,
      parts: { window, received: null, held: plotSpans(held), gaps: drawnGaps },
    };
  });
  return { window, rows };
}

function computeStart(spans: readonly JobSpan[], toMs: number): number {
  const knownTimes = spans
    .flatMap((span) => [span.from === null ? toMs : Date.parse(span.from), Date.parse(span.to)])
    .filter((ms) => ms < toMs);
  const firstMs = Math.min(toMs - 3_600_000, ...knownTimes);
  return firstMs - leadShare * (toMs - firstMs);
}
