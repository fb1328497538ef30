import "./coverage-list.css";
import "./plot-marks.css";
import "./trace.css";
import { type ReactNode, useMemo, useRef } from "preact/compat";
import { traceLabel } from "../coverage-text.ts";
import { evenlySpacedLabels } from "../ranges.ts";
import type { TimeStep } from "./brush.tsx";
import { roundSteps } from "./time-steps.ts";
import { clipTrace, drawTrace, type TraceData, traceHeight } from "./trace-drawing.ts";
import { useWidth } from "./use-width.ts";
import { type Zoom, ZoomBrush } from "./zoom.tsx";

export type CoverageRow = {
  id: string;
  name: string;
  head: ReactNode;
  /** The text alternative while the whole range is shown. */
  label: string;
  parts: TraceData;
};

const maxSteps = 96;

/** `axis` labels the whole range. */
export function CoverageList({
  window: { fromMs, toMs },
  rows,
  axis,
  zoom,
}: {
  window: TimeStep;
  rows: readonly CoverageRow[];
  axis: ReactNode;
  zoom: Zoom;
}) {
  const { selected } = zoom;
  const visibleSpan = useMemo(() => selected ?? { fromMs, toMs }, [selected, fromMs, toMs]);
  const steps = useMemo(() => roundSteps(visibleSpan, maxSteps), [visibleSpan]);
  const visibleRows = useMemo(
    () =>
      selected === null
        ? rows
        : rows.map((row) => {
            const parts = clipTrace(row.parts, selected);
            return { ...row, parts, label: traceLabel(row.name, parts, "the selected time") };
          }),
    [rows, selected],
  );
  return (
    <ZoomBrush steps={steps} zoom={zoom}>
      <ul className="coverage">
        {visibleRows.map(({ id, head, label, parts }) => (
          <li key={id}>
            <div className="coverage-head">{head}</div>
            <Trace label={label} parts={parts} />
          </li>
        ))}
      </ul>
      <div className="axis coverage-axis">
        {selected === null ? (
          axis
        ) : (
          <Labels texts={evenlySpacedLabels(visibleSpan.fromMs, visibleSpan.toMs)} />
        )}
      </div>
    </ZoomBrush>
  );
}

export function Labels({ texts }: { texts: readonly string[] }) {
  return texts.map((text, index) => (
    // Two labels may be equal.
    // biome-ignore lint/suspicious/noArrayIndexKey: a label is its position
    <span key={index} aria-hidden="true">
      {text}
    </span>
  ));
}

/**
 * Coverage over time: bars for posts, gaps, and dotted lines where nothing is archived. `label` is
 * the text alternative.
 */
function Trace({ label, parts }: { label: string; parts: TraceData }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame, 1_000);
  const { bars, uncoveredBars, gaps, uncoveredLines } = useMemo(
    () => drawTrace(parts, width),
    [parts, width],
  );
  const isEmpty = bars === "" && uncoveredBars === "" && gaps.length === 0;
  return (
    <div className="trace" data-empty={isEmpty ? "" : undefined} ref={frame}>
      <svg
        viewBox={`0 0 ${width} ${traceHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {uncoveredLines === "" ? null : <path className="p-none" d={uncoveredLines} />}
        {gaps.map(({ x, width: gapWidth }) => (
          <g key={x}>
            <rect className="p-gap" x={x} width={gapWidth} height={traceHeight} />
            <path
              className="p-gap-edge"
              d={`M${x} 0V${traceHeight}M${x + gapWidth} 0V${traceHeight}`}
            />
          </g>
        ))}
        {uncoveredBars === "" ? null : <path className="p-trace p-stray" d={uncoveredBars} />}
        {bars === "" ? null : <path className="p-trace" d={bars} />}
      </svg>
    </div>
  );
}
