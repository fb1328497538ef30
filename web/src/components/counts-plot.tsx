import "./plot.css";
import "./plot-marks.css";
import type { ReactNode } from "preact/compat";
import { wholeNumber } from "../numbers.ts";
import { Brush } from "./brush.tsx";

export type PlotBar = { fromMs: number; toMs: number; count: number };
export type PlotHole = { fromMs: number; toMs: number; isBefore: boolean };

const width = 420;
const height = 100;
/** Part of the space per bar. */
const barShare = 0.6;
/** Keeps both edges of a short gap visible. */
const narrowestHole = 5;
/** Marks gaps in front of the bars. */
const footHeight = 5;

/**
 * Matches over time, with gaps; uncovered time at the start is a dotted line.
 */
export function CountsPlot({
  window: { fromMs, toMs },
  bars,
  holes,
  finding,
  axis,
  describe,
  onSelect,
}: {
  window: { fromMs: number; toMs: number };
  bars: readonly PlotBar[];
  holes: readonly PlotHole[];
  /** The text alternative. */
  finding: string;
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
      hint="Drag over the plot to search a part of the time."
      describe={(first, last) => describeBars(bars.slice(first, last + 1))}
      onSelect={onSelect}
    >
      {(current) => (
        <div className="plot">
          <svg
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={finding}
          >
            <path
              className="p-grid"
              d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`}
            />
            {holes.map((hole) => (
              <Hole key={hole.fromMs} hole={hole} x={x} />
            ))}
            {bars.map((bar, at) => {
              const room = x(bar.toMs) - x(bar.fromMs);
              return (
                <rect
                  key={bar.fromMs}
                  className="p-bar"
                  data-current={at === current ? "" : undefined}
                  x={x(bar.fromMs) + (room * (1 - barShare)) / 2}
                  y={height - share(bar.count) * height}
                  width={room * barShare}
                  height={share(bar.count) * height}
                />
              );
            })}
            {holes.map((hole) => (
              <HoleEdges key={hole.fromMs} hole={hole} x={x} />
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

  function describeBars(chosen: readonly PlotBar[]): string | null {
    const [first, last] = [chosen[0], chosen.at(-1)];
    if (first === undefined || last === undefined) return null;
    const count = chosen.reduce((sum, bar) => sum + bar.count, 0);
    return describe({ fromMs: first.fromMs, toMs: last.toMs, count });
  }
}

type Drawn = { hole: PlotHole; x(ms: number): number };

function Hole({ hole, x }: Drawn) {
  const [from, to] = edgesOf({ hole, x });
  if (hole.isBefore) return <path className="p-none" d={`M${from} ${height - 1}H${to}`} />;
  return <rect className="p-gap" x={from} width={to - from} height={height} />;
}

function HoleEdges({ hole, x }: Drawn) {
  if (hole.isBefore) return null;
  const [from, to] = edgesOf({ hole, x });
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

function edgesOf({ hole, x }: Drawn): [number, number] {
  const from = Math.min(x(hole.fromMs), width - narrowestHole);
  return [from, Math.max(x(hole.toMs), from + narrowestHole)];
}
