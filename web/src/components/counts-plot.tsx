import "./plot.css";
import "./plot-marks.css";
import { type PointerEvent, type ReactNode, useState } from "react";
import { wholeNumber } from "../numbers.ts";

export type PlotBar = { fromMs: number; toMs: number; count: number };
export type PlotHole = { fromMs: number; toMs: number; isBefore: boolean };

const width = 420;
const height = 100;
/** Part of the space per bar. */
const barShare = 0.6;
/** Keeps both edges of a short gap visible. */
const narrowestHole = 5;
/** A shorter drag is a click. */
const leastDrag = 8;
/** Marks gaps in front of the bars. */
const footHeight = 5;

/**
 * Matches over time, with gaps; uncovered time at the start is a dotted line. The bar under the pointer, or chosen with the arrow
 * keys, is described below the plot. Dragging selects a time, Enter the time of the bar.
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
  const [current, setCurrent] = useState<number | null>(null);
  const [dragged, setDragged] = useState<{ startMs: number; endMs: number } | null>(null);
  const most = Math.max(0, ...bars.map(({ count }) => count));
  const x = (ms: number): number => ((ms - fromMs) / Math.max(1, toMs - fromMs)) * width;
  const share = (count: number): number => (most === 0 ? 0 : count / most);
  const msAt = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width: wide } = currentTarget.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (clientX - left) / wide));
    return fromMs + part * (toMs - fromMs);
  };
  const move = (event: PointerEvent) => {
    const ms = msAt(event);
    const at = bars.findIndex((bar) => ms >= bar.fromMs && ms < bar.toMs);
    setCurrent(at < 0 ? null : at);
    if (dragged !== null) setDragged({ ...dragged, endMs: ms });
  };
  const drop = () => {
    if (dragged === null) return;
    const [from, to] = [dragged.startMs, dragged.endMs].sort((a, b) => a - b);
    setDragged(null);
    if (from !== undefined && to !== undefined && x(to) - x(from) > leastDrag) onSelect(from, to);
  };
  const shown = current === null ? undefined : bars[current];
  return (
    <>
      <div className="plot">
        <svg
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setDragged({ startMs: msAt(event), endMs: msAt(event) });
          }}
          onPointerMove={move}
          onPointerUp={drop}
          onPointerCancel={() => setDragged(null)}
          onPointerLeave={() => setCurrent(null)}
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
          {dragged === null ? null : (
            <rect
              className="p-brush"
              x={Math.min(x(dragged.startMs), x(dragged.endMs))}
              width={Math.abs(x(dragged.endMs) - x(dragged.startMs))}
              height={height}
            />
          )}
        </svg>
        <div className="y" aria-hidden="true">
          <span>{most === 0 ? null : wholeNumber(most)}</span>
          {most > 0 && (most % 2 === 0 || most > 20) ? <span>{wholeNumber(most / 2)}</span> : null}
          <span>0</span>
        </div>
        <div className="x" aria-hidden="true">
          {axis.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a place on the axis is its index
            <span key={index}>{text}</span>
          ))}
        </div>
      </div>
      <input
        className="plot-cursor"
        type="range"
        min={0}
        max={Math.max(0, bars.length - 1)}
        value={current ?? bars.length - 1}
        aria-label="Bar"
        aria-valuetext={shown === undefined ? "" : describe(shown)}
        onFocus={() => setCurrent(current ?? bars.length - 1)}
        onBlur={() => setCurrent(null)}
        onChange={({ target }) => setCurrent(Number(target.value))}
        onKeyDown={({ key }) => {
          if (key === "Enter" && shown !== undefined) onSelect(shown.fromMs, shown.toMs);
        }}
      />
      <p className="plot-reading" aria-hidden="true">
        {shown === undefined ? "Drag over the plot to search a part of the time." : describe(shown)}
      </p>
    </>
  );
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
