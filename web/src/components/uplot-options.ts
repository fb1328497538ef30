import uPlot from "uplot";
import { alone, magnitudes, powersOfTen } from "./chart-scale.ts";
import { roundTop } from "./plot-drawing.ts";
import type { ThemeColours } from "./theme-colours.ts";

type ChartLook = "bars" | "line";

type ChartSeries = { name: string; colour: keyof ThemeColours; isDashed?: boolean };

export type ChartKind = {
  look: ChartLook;
  /** Of bars each holds those that are drawn after it as well. */
  series: readonly ChartSeries[];
  /** What the least upper edge of the plot is. */
  least: number;
  /** Whether values stand at their magnitudes; they are all above 0 then. */
  isLogarithmic?: boolean;
  /** Milliseconds of a bucket. */
  widthMs: number;
  valueText(value: number): string;
  /** What stands beneath the axis at times, Unix milliseconds, and how far apart such times may be. */
  axisTexts(times: readonly number[]): string[];
  tickSeconds: readonly number[];
};

const areaShare = 0.1;
const edgePixels = 18;
const axisFont = "12px Geist, system-ui, sans-serif";

/** How uPlot draws a kind of chart; colours are read each time that it draws. */
export function chartOptions(
  kind: ChartKind,
  size: { width: number; height: number },
  colours: () => ThemeColours,
  onCursor: (chart: uPlot) => void,
): uPlot.Options {
  const halfSeconds = kind.widthMs / 2_000;
  const quiet = () => colours().quiet;
  return {
    ...size,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: kind.look === "line", size: 7 },
    },
    scales: {
      x: { time: true, range: (_, min, max) => [min - halfSeconds, max + halfSeconds] },
      y: kind.isLogarithmic
        ? { distr: 3, range: (_, min, max) => magnitudes(min, max) }
        : { range: (_, _min, max) => [0, roundTop([max], kind.least)] },
    },
    axes: [
      {
        stroke: quiet,
        font: axisFont,
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        gap: 8,
        space: 64,
        incrs: [...kind.tickSeconds],
        values: (chart, seconds) => {
          const texts = kind.axisTexts(seconds.map((each) => each * 1_000));
          // At the very edge half of it would be cut off.
          return texts.map((text, at) =>
            chart.valToPos(seconds[at] ?? 0, "x") < edgePixels ? "" : text,
          );
        },
      },
      {
        side: 1,
        stroke: quiet,
        font: axisFont,
        size: 52,
        gap: 8,
        grid: { stroke: () => colours().line, width: 1 },
        ticks: { show: false },
        splits: (_, _axis, min, max) =>
          kind.isLogarithmic ? powersOfTen(min, max) : [0, max / 2, max],
        filter: (_, splits) => [...splits],
        values: (_, values) => values.map((value) => kind.valueText(value)),
      },
    ],
    series: [{}, ...kind.series.map((each) => drawn(kind.look, each, colours))],
    hooks: { setCursor: [onCursor] },
  };
}

function drawn(
  look: ChartLook,
  { name, colour, isDashed = false }: ChartSeries,
  colours: () => ThemeColours,
): uPlot.Series {
  const own = () => colours()[colour];
  if (look === "bars") {
    const paths = uPlot.paths.bars?.({ size: [0.62, 14], radius: 0.15 });
    return { label: name, fill: own, width: 0, points: { show: false }, ...(paths && { paths }) };
  }
  return {
    label: name,
    stroke: own,
    width: 1.5,
    spanGaps: false,
    ...(isDashed ? { dash: [3, 3] } : { fill: () => faint(own()) }),
    // A value between two that are not known has no line: it is a point.
    points: { show: true, size: 4, fill: own, filter: (chart, at) => alone(chart.data[at] ?? []) },
  };
}

/** Computed colours are functions of their parts; one more is how much of it is seen. */
function faint(colour: string): string {
  return `color-mix(in oklch, ${colour} ${areaShare * 100}%, transparent)`;
}
