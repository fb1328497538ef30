import { minuteText } from "./span-text.ts";

export type PlotBucket = {
  fromMs: number;
  toMs: number;
  count: number;
  /** If false, `count` is a lower bound. */
  complete: boolean;
};

export type PlotOptions = {
  /** In columns. */
  width: number;
  height: number;
  unicode: boolean;
  paint: { accent(text: string): string; dim(text: string): string };
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const lineLengths = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minuteMs),
  ...[1, 2, 3, 6, 12].map((n) => n * hourMs),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * dayMs),
];

const unicodeMarks = { full: "█", parts: ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"], unknown: "▒" };
const asciiMarks = { full: "#", parts: [""], unknown: "%" };

/**
 * Draws one bar per line, and merges buckets to fit. Without full coverage, bars are hatched and
 * counts have a question mark; without posts, there is only the mark. No line is wider than `width`
 * (at least 40).
 */
export function plotCounts(
  buckets: readonly PlotBucket[],
  bucketMs: number,
  options: PlotOptions,
): { lines: string[]; lineMs: number } {
  const first = buckets[0];
  const last = buckets.at(-1);
  if (first === undefined || last === undefined) return { lines: [], lineMs: bucketMs };
  const lineMs = lineLength(last.toMs - first.fromMs, bucketMs, options.height);
  const rows = lineMs === bucketMs ? buckets : mergeBuckets(buckets, lineMs);
  const label = lineMs >= dayMs ? dayText : minuteText;
  const max = rows.reduce((top, { count }) => Math.max(top, count), 0);
  const labels = rows.map((row) => label(Math.floor(row.fromMs / lineMs) * lineMs));
  const countTexts = rows.map(countText);
  const labelWidth = Math.max(...labels.map((text) => text.length));
  const numberWidth = Math.max(...countTexts.map((text) => text.length));
  const room = Math.max(1, options.width - labelWidth - numberWidth - 4);
  const lines = rows.map((row, index) => {
    const bar = formatBar(row, (row.count / Math.max(max, 1)) * room, options);
    const head = `${options.paint.dim(labels[index] ?? "")}  ${(countTexts[index] ?? "").padStart(numberWidth)}`;
    return bar === "" ? head.trimEnd() : `${head}  ${options.paint.accent(bar)}`;
  });
  return { lines, lineMs };
}

function countText({ count, complete }: PlotBucket): string {
  // A space in place of the question mark aligns the digits.
  if (complete) return `${count.toLocaleString("en")} `;
  return count === 0 ? "?" : `${count.toLocaleString("en")}?`;
}

function formatBar(
  { count, complete }: PlotBucket,
  length: number,
  { unicode }: PlotOptions,
): string {
  const { full, parts, unknown } = unicode ? unicodeMarks : asciiMarks;
  if (count === 0) return "";
  if (!complete) return unknown.repeat(Math.max(1, Math.round(length)));
  const fullCells = Math.floor(length);
  const partialCell = parts[Math.floor((length - fullCells) * parts.length)] ?? "";
  // Any counted post gets a visible bar.
  return full.repeat(fullCells) + partialCell || parts[1] || full;
}

/** Returns a multiple of the longest of `lineLengths` if none is long enough. */
function lineLength(lengthMs: number, bucketMs: number, height: number): number {
  // A window that starts within a line needs one more line.
  const minMs = lengthMs / Math.max(1, height - 1);
  if (lengthMs <= bucketMs * height) return bucketMs;
  const fittingMs = lineLengths.find((ms) => ms >= minMs && ms >= bucketMs);
  const longestMs = lineLengths.at(-1) ?? bucketMs;
  return fittingMs ?? Math.ceil(minMs / longestMs) * longestMs;
}

function mergeBuckets(buckets: readonly PlotBucket[], lineMs: number): PlotBucket[] {
  const rows: PlotBucket[] = [];
  for (const bucket of buckets) {
    const last = rows.at(-1);
    const isSameLine =
      last !== undefined && Math.floor(last.fromMs / lineMs) === Math.floor(bucket.fromMs / lineMs);
    if (!isSameLine) rows.push({ ...bucket });
    else {
      last.toMs = bucket.toMs;
      last.count += bucket.count;
      last.complete &&= bucket.complete;
    }
  }
  return rows;
}

const dayText = (ms: number): string => minuteText(ms).slice(0, 10);
