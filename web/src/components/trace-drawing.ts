/** In Unix milliseconds; `toMs` is exclusive. */
export type PlotSpan = { fromMs: number; toMs: number };

export type TraceData = {
  window: PlotSpan;
  /** Posts in equal parts of the window, oldest first; null if unknown. */
  received: readonly number[] | null;
  held: readonly PlotSpan[];
  gaps: readonly PlotSpan[];
};

/** In pixels: `width` across, `traceHeight` down. */
export type TraceDrawing = {
  /** Posts from covered times. */
  bars: string;
  /** Posts from uncovered times. */
  uncoveredBars: string;
  gaps: readonly { x: number; width: number }[];
  /** Lines where nothing is archived. */
  uncoveredLines: string;
};

export const traceHeight = 48;
const barSpacing = 6;
/** Bars of equal height are spaced further apart. */
const plainBarSpacing = 9;
const maxBarHeight = 42;
const emptyBarHeight = 2;
const minBarHeight = 4;
/** Height when the number of posts is unknown. */
const plainBarHeight = 12;
const minGapWidth = 3;

/** At most one bar per part. */
export function drawTrace(
  { window, received, held, gaps }: TraceData,
  width: number,
): TraceDrawing {
  const spanMs = Math.max(1, window.toMs - window.fromMs);
  const xAt = (ms: number): number =>
    (Math.min(Math.max(ms, window.fromMs), window.toMs) - window.fromMs) * (width / spanMs);
  const max = received === null ? Number.POSITIVE_INFINITY : received.length;
  const count = Math.max(
    1,
    Math.min(max, Math.floor(width / (received === null ? plainBarSpacing : barSpacing))),
  );
  const postCounts = received === null ? null : rebin(received, count);
  const peak = typicalPeak(postCounts ?? []);
  const bars: string[] = [];
  const uncoveredBars: string[] = [];
  for (let bar = 0; bar < count; bar += 1) {
    const middleMs = window.fromMs + ((bar + 0.5) / count) * spanMs;
    const postCount = postCounts?.[bar] ?? null;
    const path = stroke(
      xAt(middleMs),
      postCount === null ? plainBarHeight : height(postCount, peak),
    );
    if (isIn(held, middleMs)) bars.push(path);
    else if (postCount !== null && postCount > 0 && !isIn(gaps, middleMs)) uncoveredBars.push(path);
  }
  return {
    bars: bars.join(""),
    uncoveredBars: uncoveredBars.join(""),
    gaps: gaps.map((gap) => {
      const x = xAt(gap.fromMs);
      const gapWidth = Math.max(minGapWidth, xAt(gap.toMs) - x);
      return { x: round(Math.min(x, width - gapWidth)), width: round(gapWidth) };
    }),
    uncoveredLines: uncoveredSpans(window, [...held, ...gaps])
      .map(({ fromMs, toMs }) => `M${round(xAt(fromMs))} ${traceHeight / 2}H${round(xAt(toMs))}`)
      .join(""),
  };
}

export function clipTrace({ window, received, held, gaps }: TraceData, part: PlotSpan): TraceData {
  const touches = ({ fromMs, toMs }: PlotSpan) => fromMs < part.toMs && toMs > part.fromMs;
  const clippedSpans = { window: part, held: held.filter(touches), gaps: gaps.filter(touches) };
  if (received === null) return { ...clippedSpans, received };
  const perMs = received.length / Math.max(1, window.toMs - window.fromMs);
  const from = (part.fromMs - window.fromMs) * perMs;
  const to = (part.toMs - window.fromMs) * perMs;
  return { ...clippedSpans, received: rebin(received, Math.ceil(to - from), { from, to }) };
}

/** Converts all parts, or a range, to another number of equal parts. */
export function rebin(
  parts: readonly number[],
  count: number,
  range = { from: 0, to: parts.length },
): number[] {
  const perBar = (range.to - range.from) / count;
  return Array.from({ length: count }, (_, bar) => {
    const from = Math.max(0, range.from + bar * perBar);
    const to = range.from + (bar + 1) * perBar;
    let sum = 0;
    for (let part = Math.floor(from); part < to; part += 1) {
      sum += (parts[part] ?? 0) * (Math.min(part + 1, to) - Math.max(part, from));
    }
    return sum;
  });
}

/** Oldest first. */
export function uncoveredSpans(window: PlotSpan, spans: readonly PlotSpan[]): PlotSpan[] {
  const uncovered: PlotSpan[] = [];
  let reachedMs = window.fromMs;
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (fromMs > reachedMs)
      uncovered.push({ fromMs: reachedMs, toMs: Math.min(fromMs, window.toMs) });
    reachedMs = Math.max(reachedMs, toMs);
    if (reachedMs >= window.toMs) return uncovered;
  }
  uncovered.push({ fromMs: reachedMs, toMs: window.toMs });
  return uncovered;
}

const isIn = (spans: readonly PlotSpan[], ms: number): boolean =>
  spans.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);

/** Proportional to the posts; outliers are cut off. */
function height(posts: number, peak: number): number {
  if (posts === 0 || peak === 0) return emptyBarHeight;
  return Math.min(maxBarHeight, Math.max(minBarHeight, (posts / peak) * maxBarHeight));
}

/** The 95th percentile, so that one busy hour does not flatten the rest. */
function typicalPeak(posts: readonly number[]): number {
  const counts = posts.filter((count) => count > 0).sort((a, b) => a - b);
  return counts[Math.floor(counts.length * 0.95)] ?? 0;
}

const stroke = (x: number, length: number): string =>
  `M${round(x)} ${round((traceHeight - length) / 2)}v${round(length)}`;

const round = (value: number): number => Math.round(value * 10) / 10;
