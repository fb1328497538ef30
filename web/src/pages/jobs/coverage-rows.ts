import type { Stretch, TraceParts } from "../../components/trace-drawing.ts";
import { noneWholeText } from "../../coverage-text.ts";
import type { JobCoverage, JobSource, JobSpan } from "../../jobs/job.ts";
import { counted, stretchText } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";

type CoverageRow = {
  id: string;
  name: string;
  finding: string;
  label: string;
  parts: TraceParts;
};

export type CoverageRows = { window: { fromMs: number; toMs: number }; rows: CoverageRow[] };

/** Part drawn before the first known time when a search has no start. */
const before = 0.1;

/** Rows for each platform on one time axis; null if there is no time to draw. */
export function coverageRows(
  { from, to, platforms }: JobCoverage,
  sources: readonly JobSource[],
): CoverageRows | null {
  if (platforms.length === 0) return null;
  const toMs = Date.parse(to);
  const spans = platforms.flatMap(({ held, gaps }) => [...held, ...gaps]);
  const window = { fromMs: from === null ? beginningOf(spans, toMs) : Date.parse(from), toMs };
  if (window.fromMs >= toMs) return null;
  const stretches = (list: readonly JobSpan[]) =>
    list.map((span) => ({
      fromMs: span.from === null ? window.fromMs : Date.parse(span.from),
      toMs: Date.parse(span.to),
    }));
  const rows = platforms.map(({ platform, collection, held, gaps, complete }) => {
    const name =
      collection === "posts"
        ? platformNames[platform]
        : `${platformNames[platform]}: ${collection}`;
    // Time before the first archived span is not a gap.
    const drawn = stretches(gaps).filter(({ fromMs }) => fromMs > window.fromMs && held.length > 0);
    const postsFound = collection === "posts" ? storedPosts(sources, platform) : 0;
    const finding = complete
      ? "Complete"
      : held.length === 0
        ? noneWholeText(postsFound)
        : missingText(stretches(gaps).length > drawn.length, drawn);
    return {
      id: `${platform} ${collection}`,
      name,
      finding,
      label: `${name}: ${finding}`,
      parts: { window, heard: null, held: stretches(held), gaps: drawn },
    };
  });
  return { window, rows };
}

/** Posts from the archive; live results say nothing about it. */
function storedPosts(sources: readonly JobSource[], platform: JobSource["platform"]): number {
  return sources
    .filter((source) => source.platform === platform && source.via === "archive")
    .reduce((sum, { count }) => sum + count, 0);
}

function missingText(beginsLate: boolean, gaps: readonly Stretch[]): string {
  const ms = gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const parts = [
    ...(gaps.length > 0 ? [`${counted(gaps.length, "gap")}, ${stretchText(ms)}`] : []),
    ...(beginsLate ? ["the beginning is not covered"] : []),
  ];
  return parts.length === 0 ? "No gaps, but may be incomplete" : parts.join("; ");
}

function beginningOf(spans: readonly JobSpan[], toMs: number): number {
  const known = spans
    .flatMap((span) => [span.from === null ? toMs : Date.parse(span.from), Date.parse(span.to)])
    .filter((ms) => ms < toMs);
  const firstMs = Math.min(toMs - 3_600_000, ...known);
  return firstMs - before * (toMs - firstMs);
}
