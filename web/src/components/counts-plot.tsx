import "./plot.css";
import "./plot-marks.css";
import type { ReactNode } from "preact/compat";
import { wholeNumber } from "../numbers.ts";
import { Brush } from "./brush.tsx";

export type PlotBar = { fromMs: number; toMs: number; count: number };
export type PlotGap = { fromMs: number; toMs: number; isBefore: boolean };

const width = 420;
const height = 100;
/** Share of the bucket's width. */
const barShare = 0.6;
/** Keeps both edges of a short gap visible. */
const minGapWidth = 5;
/** Marks gaps in front of the bars. */
const footHeight = 5;

/** Matches over time, with gaps; uncovered time at the start is a dotted line. */
export function CountsPlot({
  window: { fromMs, toMs },
  bars,
  gaps,
  summary,
  axis,
  describe,
  onSelect,
}: {
  window: { fromMs: number; toMs: number };
  bars: readonly PlotBar[];
  gaps: readonly PlotGap[];
  /** The text alternative. */
  summary: string;
  /** Evenly spaced labels. */
  axis: readonly ReactNode[];
  describe(bar: PlotBar): string;
  onSelect(fromMs: number, toMs: number): void;
}) {
  const max = Math.max(0, ...bars.map(({ count }) => count));
  const x = (ms: number): number => ((ms - fromMs) / Math.max(1, toMs - fromMs)) * width;
  const share = (count: number): number => (max === 0 ? 0 : count / max);
  return (
    <Brush
      window={{ fromMs, toMs }}
      steps={bars}
      hint="Drag across the plot to search a time range."
      describe={(first, last) => describeBars(bars.slice(first, last + 1))}
      onSelect={onSelect}
    >
      {(current) => (
        <div className="plot">
          <svg
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={summary}
          >
            <path
              className="p-grid"
              d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`}
            />
            {gaps.map((gap) => (
              <Gap key={gap.fromMs} gap={gap} x={x} />
            ))}
            {bars.map((bar, index) => {
              const slotWidth = x(bar.toMs) - x(bar.fromMs);
              return (
                <rect
                  key={bar.fromMs}
                  className="p-bar"
                  data-current={index === current ? "" : undefined}
                  x={x(bar.fromMs) + (slotWidth * (1 - barShare)) / 2}
                  y={height - share(bar.count) * height}
                  width={slotWidth * barShare}
                  height={share(bar.count) * height}
                />
              );
            })}
            {gaps.map((gap) => (
              <GapEdges key={gap.fromMs} gap={gap} x={x} />
            ))}
          </svg>
          <div className="y" aria-hidden="true">
            <span>{max === 0 ? null : wholeNumber(max)}</span>
            {max > 0 && (max % 2 === 0 || max > 20) ? <span>{wholeNumber(max / 2)}</span> : null}
            <span>0</span>
          </div>
          <div className="x" aria-hidden="true">
            {axis.map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a label is its position on the axis
              <span key={index}>{text}</span>
            ))}
          </div>
        </div>
      )}
    </Brush>
  );

  function describeBars(selected: readonly PlotBar[]): string | null {
    const [first, last] = [selected[0], selected.at(-1)];
    if (first === undefined || last === undefined) return null;
    const count = selected.reduce((sum, bar) => sum + bar.count, 0);
    return describe({ fromMs: first.fromMs, toMs: last.toMs, count });
  }
}

type GapProps = { gap: PlotGap; x(ms: number): number };

function Gap({ gap, x }: GapProps) {
  const [from, to] = drawingEdges({ gap, x });
  if (gap.isBefore) return <path className="p-none" d={`M${from} ${height - 1}H${to}`} />;
  return <rect className="p-gap" x={from} width={to - from} height={height} />;
}

function GapEdges({ gap, x }: GapProps) {
  if (gap.isBefore) return null;
  const [from, to] = drawingEdges({ gap, x });
  return (
    <>
      <path className="p-gap-edge" d={`M${from} 0V${height}M${to} 0V${height}`} />
      <rect
        className="p-bar-3"
        x={from}
        y={height - footHeight}
        width={to - from}
        height={footHeight}
      />
    </>
  );
}

function drawingEdges({ gap, x }: GapProps): [number, number] {
  const from = Math.min(x(gap.fromMs), width - minGapWidth);
  return [from, Math.max(x(gap.toMs), from + minGapWidth)];
}
