import type { Span } from "../../lib/spans.ts";
import { lengthText, minuteText, spanText } from "./span-text.ts";
import { wrap } from "./text-layout.ts";

export type TimelineRow = { name: string; covered: readonly Span[]; gaps: readonly Span[] };

/** `width` is in columns. */
export type TimelineOptions = {
  width: number;
  fromMs: number | null;
  toMs: number;
  /** A gap that reaches this time is open. */
  nowMs: number;
  listedGaps: number;
  unicode: boolean;
};

type Marks = { covered: string; partly: string; none: string; rangeDash: string };

const unicodeMarks: Marks = { covered: "█", partly: "▒", none: "·", rangeDash: "–" };
const asciiMarks: Marks = { covered: "#", partly: "+", none: ".", rangeDash: "-" };

/** With fewer cells than this, each name gets its own line. */
const minCells = 20;

const minCellMs = 1_000;

/**
 * Times are in UTC. No line is wider than `width` (at least 8). Empty if no row has a bounded time.
 */
export function drawTimelines(rows: readonly TimelineRow[], options: TimelineOptions): string[] {
  const width = Math.max(Math.floor(options.width), 8);
  const marks = options.unicode ? unicodeMarks : asciiMarks;
  const nameWidth = Math.max(0, ...rows.map(({ name }) => name.length)) + 2;
  const isNameInline = width - nameWidth >= minCells;
  const indent = isNameInline ? nameWidth : 0;
  const cells = width - indent;
  const startMs = options.fromMs ?? earliestOf(rows);
  if (startMs === null) return [];
  const fromMs = Math.min(Math.floor(startMs), options.toMs - cells * minCellMs);
  const timelines = rows.flatMap(({ name, covered }) => {
    const line = timelineCells(covered, { fromMs, toMs: options.toMs }, cells)
      .map((cell) => marks[cell])
      .join("");
    return isNameInline ? [name.padEnd(indent) + line] : [...wrap(name, width), line];
  });
  const legend = `${marks.covered} covered  ${marks.partly} partly  ${marks.none} not covered  (times are UTC)`;
  const scale = formatScale(fromMs, options.toMs, cells);
  return [
    ...timelines,
    ...(scale === "" ? [] : [" ".repeat(indent) + scale]),
    ...wrap(legend, width),
    ...gapLines(rows, fromMs, options).flatMap((line) => wrap(line, width)),
  ];
}

function earliestOf(rows: readonly TimelineRow[]): number | null {
  const bounds = rows
    .flatMap(({ covered, gaps }) => [...covered, ...gaps])
    .flatMap(({ fromMs, toMs }) => (fromMs === null ? [toMs] : [fromMs]));
  return bounds.length === 0 ? null : bounds.reduce((a, b) => Math.min(a, b));
}

/**
 * `spans`: oldest first, without overlaps. A cell is `covered` if all of it is covered, and `none`
 * if nothing is.
 */
export function timelineCells(
  spans: readonly Span[],
  window: { fromMs: number; toMs: number },
  count: number,
): ("covered" | "partly" | "none")[] {
  let nextIndex = 0;
  return Array.from({ length: count }, (_, index) => {
    const fromMs = cellStart(window, count, index);
    const toMs = cellStart(window, count, index + 1);
    let coveredMs = 0;
    for (let offset = nextIndex; offset < spans.length; offset += 1) {
      const span = spans[offset];
      if (span === undefined || (span.fromMs ?? fromMs) >= toMs) break;
      coveredMs += Math.max(0, Math.min(span.toMs, toMs) - Math.max(span.fromMs ?? fromMs, fromMs));
      if (span.toMs <= toMs) nextIndex = offset + 1;
    }
    return coveredMs === 0 ? "none" : coveredMs < toMs - fromMs ? "partly" : "covered";
  });
}

const cellStart = (
  { fromMs, toMs }: { fromMs: number; toMs: number },
  count: number,
  index: number,
): number => fromMs + Math.floor(((toMs - fromMs) * index) / count);

const minuteMs = 60_000;
const dayMs = 86_400_000;

function formatScale(fromMs: number, toMs: number, cells: number): string {
  const isInDays = toMs - fromMs >= 3 * dayMs;
  const label = (ms: number) => (isInDays ? minuteText(ms).slice(0, 10) : minuteText(ms).slice(5));
  const endLabel = `${label(toMs)}|`;
  if (endLabel.length > cells) return "";
  const room = cells - endLabel.length - 2;
  const unitMs = isInDays ? dayMs : minuteMs;
  const tickCount = Math.max(1, Math.floor(cells / 25));
  let line = "";
  for (let tick = 0; tick < tickCount; tick += 1) {
    const evenMs = fromMs + ((toMs - fromMs) * tick) / tickCount;
    const ms = tick === 0 ? fromMs : Math.floor(evenMs / unitMs) * unitMs;
    const cell = Math.floor(((ms - fromMs) * cells) / (toMs - fromMs));
    const text = `|${label(ms)}`;
    const isFree = cell >= line.length + (tick === 0 ? 0 : 2);
    if (isFree && cell + text.length <= room) line = line.padEnd(cell) + text;
  }
  return line.padEnd(cells - endLabel.length) + endLabel;
}

function gapLines(
  rows: readonly TimelineRow[],
  startMs: number,
  { listedGaps, nowMs, unicode }: TimelineOptions,
): string[] {
  const gapGroups = new Map<string, { fromMs: number; toMs: number; names: string[] }>();
  for (const { name, gaps } of rows) {
    for (const gap of gaps) {
      if (gap.fromMs === null || gap.toMs <= startMs) continue;
      const key = `${gap.fromMs} ${gap.toMs}`;
      const group = gapGroups.get(key);
      if (group) group.names.push(name);
      else gapGroups.set(key, { fromMs: gap.fromMs, toMs: gap.toMs, names: [name] });
    }
  }
  const dash = unicode ? unicodeMarks.rangeDash : asciiMarks.rangeDash;
  const sortedGroups = [...gapGroups.values()].sort(
    (a, b) => b.toMs - a.toMs || b.fromMs - a.fromMs,
  );
  const lines = sortedGroups.slice(0, listedGaps).map((gap) => {
    return `gap ${spanText(gap, gap.toMs >= nowMs, dash)} (${lengthText(gap.toMs - gap.fromMs)}): ${gap.names.join(", ")}`;
  });
  const unlistedCount = sortedGroups.length - lines.length;
  if (unlistedCount > 0)
    lines.push(`and ${unlistedCount} earlier ${unlistedCount === 1 ? "gap" : "gaps"}`);
  return lines;
}
