import "./plot.css";
import "./plot-marks.css";
import { areaPath, linePath, plotHeight, valueWidth } from "./plot-drawing.ts";

export type PlotSeries = {
  /** One value per time bucket, oldest first; null if unknown. */
  values: readonly (number | null)[];
  look: "line" | "line-2";
};

/** `label` is the text alternative, `top` the value at the upper edge. */
export function Plot({
  label,
  series,
  top,
  yLabels,
  xLabels,
}: {
  label: string;
  series: readonly PlotSeries[];
  top: number;
  /** Labels from the top down. */
  yLabels: readonly string[];
  xLabels: readonly string[];
}) {
  const width = valueWidth * Math.max(1, ...series.map(({ values }) => values.length));
  const half = plotHeight / 2;
  return (
    <div className="plot">
      <svg
        viewBox={`0 0 ${width} ${plotHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <path className="p-grid" d={`M0 0H${width}M0 ${half}H${width}M0 ${plotHeight}H${width}`} />
        {series.map((plotSeries) => (
          <SeriesPaths key={plotSeries.look} series={plotSeries} top={top} />
        ))}
      </svg>
      <div className="y">
        {yLabels.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      <div className="x">
        {xLabels.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
    </div>
  );
}

function SeriesPaths({ series: { values, look }, top }: { series: PlotSeries; top: number }) {
  if (look === "line-2") return <path className="p-line p-line-2" d={linePath(values, top)} />;
  return (
    <>
      <path className="p-area" d={areaPath(values, top)} />
      <path className="p-line" d={linePath(values, top)} />
    </>
  );
}
