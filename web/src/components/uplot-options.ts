import uPlot from "uplot";
import { roundTop } from "./plot-drawing.ts";
import type { ThemeColours } from "./theme-colours.ts";

type ChartLook = "bars" | "line";

type ChartSeries = { name: string; colour: keyof ThemeColours; isDashed?: boolean };

export type ChartKind = {
  look: ChartLook;
  /** Each bar includes those of later series. */
  series: readonly ChartSeries[];
  /** The smallest upper bound of the y axis. */
  minTop: number;
  /** Requires values above 0. */
  isLogarithmic?: boolean;
  widthMs: number;
  valueText(value: number): string;
  /** Axis labels for times in Unix milliseconds, and the allowed steps. */
  axisTexts(times: readonly number[]): string[];
  tickSeconds: readonly number[];
};

const areaShare = 0.1;
const edgePixels = 18;
const axisFont = "12px Geist, system-ui, sans-serif";

/** Colours are read on each draw. */
export function chartOptions(
  kind: ChartKind,
  size: { width: number; height: number },
  colours: () => ThemeColours,
  onCursor: (chart: uPlot) => void,
): uPlot.Options {
  const halfSeconds = kind.widthMs / 2_000;
  const quietColour = () => colours().quiet;
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
        : { range: (_, _min, max) => [0, roundTop([max], kind.minTop)] },
    },
    axes: [
      {
        stroke: quietColour,
        font: axisFont,
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        gap: 8,
        space: 64,
        incrs: [...kind.tickSeconds],
        values: (chart, seconds) => {
          const texts = kind.axisTexts(seconds.map((value) => value * 1_000));
          // A label at the edge would be half cut off.
          return texts.map((text, index) =>
            chart.valToPos(seconds[index] ?? 0, "x") < edgePixels ? "" : text,
          );
        },
      },
      {
        side: 1,
        stroke: quietColour,
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
    series: [{}, ...kind.series.map((series) => seriesOptions(kind.look, series, colours))],
    hooks: { setCursor: [onCursor] },
  };
}

function seriesOptions(
  look: ChartLook,
  { name, colour, isDashed = false }: ChartSeries,
  colours: () => ThemeColours,
): uPlot.Series {
  const seriesColour = () => colours()[colour];
  if (look === "bars") {
    const paths = uPlot.paths.bars?.({ size: [0.62, 14], radius: 0.15 });
    return {
      label: name,
      fill: seriesColour,
      width: 0,
      points: { show: false },
      ...(paths && { paths }),
    };
  }
  return {
    label: name,
    stroke: seriesColour,
    width: 1.5,
    spanGaps: false,
    ...(isDashed ? { dash: [3, 3] } : { fill: () => fadeColour(seriesColour()) }),
    // A value between two nulls has no line.
    points: {
      show: true,
      size: 4,
      fill: seriesColour,
      filter: (chart, index) => isolatedIndices(chart.data[index] ?? []),
    },
  };
}

function fadeColour(colour: string): string {
  return `color-mix(in oklch, ${colour} ${areaShare * 100}%, transparent)`;
}

/** The powers of ten around all values, at least one apart. */
export function magnitudes(min: number, max: number): [number, number] {
  const low = Math.floor(Math.log10(Math.max(1, min)));
  const high = Math.ceil(Math.log10(Math.max(1, max)));
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

export function powersOfTen(min: number, max: number): number[] {
  const low = Math.round(Math.log10(min));
  const high = Math.round(Math.log10(max));
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
}

export function isolatedIndices(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from({ length: values.length }, (_, index) => index).filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
}
