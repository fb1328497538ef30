import "./plot-panel.css";
import "./plot-marks.css";
import { type ReactNode, useId, useState } from "preact/compat";
import { Button } from "./button.tsx";
import { WholeRange, type Zoom } from "./zoom.tsx";

export type LegendEntry = { name: string; drawing: ReactNode };

/** Switchable to a table of its values. */
export function PlotPanel({
  title,
  legend,
  plot,
  table,
  zoom,
}: {
  title: string;
  legend: readonly LegendEntry[];
  plot: ReactNode;
  table: ReactNode;
  zoom: Zoom;
}) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        <Legend entries={legend} />
        <WholeRange zoom={zoom} />
        <Button
          variant="plain"
          size="small"
          aria-label={`Show ${isTable ? "plot" : "table"}: ${title}`}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? "Show plot" : "Show table"}
        </Button>
      </div>
      {isTable ? <div className="values">{table}</div> : <div className="panel-body">{plot}</div>}
    </section>
  );
}

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className="legend push">
      {entries.map(({ name, drawing }) => (
        <li key={name}>
          <svg aria-hidden="true">{drawing}</svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** Drawings of 16 by 10 pixels. */
export const legendMarks = {
  bar: <rect className="p-bar" width="100%" height="100%" rx="2" />,
  bar2: <rect className="p-bar-2" width="100%" height="100%" rx="2" />,
  bar3: <rect className="p-bar-3" width="100%" height="100%" rx="2" />,
  line: <path className="p-line" d="M0 5H16" />,
  line2: <path className="p-line p-line-2" d="M0 5H16" />,
  trace: <path className="p-trace" d="M2 2v6M6 0v10M10 3v4M14 1v8" />,
  gap: (
    <>
      <rect className="p-gap" width="16" height="10" />
      <path className="p-gap-edge" d="M1 0V10M15 0V10" />
    </>
  ),
  none: <path className="p-none" d="M1 5H16" />,
} as const;
