import { useEffect, useRef, useState } from "preact/compat";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./uplot-chart.css";
import { readColours, type ThemeColours, useThemeChanges } from "./theme-colours.ts";
import { type ChartKind, chartOptions } from "./uplot-options.ts";
import { useWidth } from "./use-width.ts";

export type TooltipContent = { time: string; rows: readonly { name: string; value: string }[] };

/** `label` is the text alternative. `kind` must stay stable while only the data changes. */
export function UplotChart({
  label,
  kind,
  times,
  values,
  height,
  tooltipAt,
}: {
  label: string;
  kind: ChartKind;
  /** Bucket midpoints, in Unix seconds. */
  times: readonly number[];
  /** One array per series. */
  values: readonly (readonly (number | null)[])[];
  height: number;
  tooltipAt(index: number): TooltipContent | null;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const colours = useRef<ThemeColours | null>(null);
  const width = useWidth(frame, 0);
  const themeVersion = useThemeChanges();
  const [hoveredIndex, setHoveredIndex] = useState<number | null>(null);
  const data: uPlot.AlignedData = [[...times], ...values.map((value) => [...value])];
  const latestData = useRef(data);
  latestData.current = data;

  useEffect(() => {
    const element = frame.current;
    if (element === null || width === 0) return;
    colours.current = readColours(element);
    const initialColours = colours.current;
    const plot = new uPlot(
      chartOptions(
        kind,
        { width, height },
        () => colours.current ?? initialColours,
        ({ cursor }) => {
          setHoveredIndex(cursor.idx ?? null);
          moveTip(tip.current, cursor.left ?? -1, element.clientWidth);
        },
      ),
      latestData.current,
      element,
    );
    chart.current = plot;
    return () => {
      plot.destroy();
      chart.current = null;
    };
  }, [kind, width, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: times and values change with the data to draw
  useEffect(() => chart.current?.setData(latestData.current), [times, values]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read again when it changes
  useEffect(() => {
    if (frame.current === null) return;
    colours.current = readColours(frame.current);
    chart.current?.redraw(false);
  }, [themeVersion]);

  const tooltip = hoveredIndex === null ? null : tooltipAt(hoveredIndex);
  return (
    <div className="chart" ref={frame} role="img" aria-label={label}>
      <div className="chart-tip" ref={tip} hidden={tooltip === null}>
        {tooltip === null ? null : (
          <>
            <p>{tooltip.time}</p>
            <dl>
              {tooltip.rows.map(({ name, value }) => (
                <Row key={name} name={name} value={value} />
              ))}
            </dl>
          </>
        )}
      </div>
    </div>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

const tooltipGap = 12;

/** Moves the tip to the side with more room. */
function moveTip(tip: HTMLElement | null, cursorLeft: number, containerWidth: number): void {
  if (tip === null || cursorLeft < 0) return;
  const isRightOfCursor = cursorLeft < containerWidth / 2;
  tip.style.translate = isRightOfCursor
    ? `${cursorLeft + tooltipGap}px 8px`
    : `calc(${cursorLeft - tooltipGap}px - 100%) 8px`;
}
