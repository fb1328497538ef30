import "./coverage-list.css";
import { type ReactNode, useMemo } from "preact/compat";
import { traceLabel } from "../coverage-text.ts";
import { evenlySpacedLabels } from "../ranges.ts";
import type { TimeStep } from "./brush.tsx";
import { roundSteps } from "./time-steps.ts";
import { Trace } from "./trace.tsx";
import { type TraceParts, tracePart } from "./trace-drawing.ts";
import { type Zoom, ZoomBrush } from "./zoom.tsx";

export type CoverageRow = {
  id: string;
  name: string;
  head: ReactNode;
  /** The text alternative while the whole range is shown. */
  label: string;
  parts: TraceParts;
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
  const shown = useMemo(() => selected ?? { fromMs, toMs }, [selected, fromMs, toMs]);
  const steps = useMemo(() => roundSteps(shown, maxSteps), [shown]);
  const drawn = useMemo(
    () =>
      selected === null
        ? rows
        : rows.map((row) => {
            const parts = tracePart(row.parts, selected);
            return { ...row, parts, label: traceLabel(row.name, parts, "the selected time") };
          }),
    [rows, selected],
  );
  return (
    <ZoomBrush steps={steps} zoom={zoom}>
      <ul className="coverage">
        {drawn.map(({ id, head, label, parts }) => (
          <li key={id}>
            <div className="coverage-head">{head}</div>
            <Trace label={label} parts={parts} />
          </li>
        ))}
      </ul>
      <div className="axis coverage-axis">
        {selected === null ? axis : <Labels texts={evenlySpacedLabels(shown.fromMs, shown.toMs)} />}
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
