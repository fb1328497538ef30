import "./plot-marks.css";
import "./trace.css";
import { useMemo, useRef } from "preact/compat";
import { drawTrace, type TraceParts, traceHeight } from "./trace-drawing.ts";
import { useWidth } from "./use-width.ts";

/** Coverage over time: bars by posts, gaps, and dotted lines where nothing is archived. `label` is the text alternative. */
export function Trace({ label, parts }: { label: string; parts: TraceParts }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame, 1_000);
  const { bars, uncoveredBars, gaps, uncovered } = useMemo(
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
        {uncovered === "" ? null : <path className="p-none" d={uncovered} />}
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
