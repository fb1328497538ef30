/** Unix milliseconds, `toMs` exclusive; a null `fromMs` means unbounded. */
export type Span = { fromMs: number | null; toMs: number };

export type BoundedSpan = Span & { fromMs: number };

/** Oldest first; overlapping and adjacent spans are merged. */
export function unionSpans<S extends Span>(spans: readonly S[]): S[] {
  const union: S[] = [];
  for (const span of byStart(spans)) {
    const last = union.at(-1);
    if (last === undefined || spanStart(span) > last.toMs) union.push({ ...span });
    else last.toMs = Math.max(last.toMs, span.toMs);
  }
  return union;
}

/** Arguments and result are oldest first and without overlaps. */
export function intersectSpans(a: readonly Span[], b: readonly Span[]): Span[] {
  const intersection: Span[] = [];
  let indexA = 0;
  let indexB = 0;
  for (;;) {
    const spanA = a[indexA];
    const spanB = b[indexB];
    if (spanA === undefined || spanB === undefined) return intersection;
    const fromMs = Math.max(spanStart(spanA), spanStart(spanB));
    const toMs = Math.min(spanA.toMs, spanB.toMs);
    if (fromMs < toMs) intersection.push(spanFrom(fromMs, toMs));
    if (spanA.toMs === toMs) indexA += 1;
    else indexB += 1;
  }
}

/** Oldest first. */
export function subtractSpans(window: BoundedSpan, spans: readonly Span[]): BoundedSpan[];
export function subtractSpans(window: Span, spans: readonly Span[]): Span[];
export function subtractSpans(window: Span, spans: readonly Span[]): Span[] {
  const difference: Span[] = [];
  let reachedMs = spanStart(window);
  for (const span of byStart(spans)) {
    const endMs = Math.min(spanStart(span), window.toMs);
    if (endMs > reachedMs) difference.push(spanFrom(reachedMs, endMs));
    reachedMs = Math.max(reachedMs, span.toMs);
  }
  if (reachedMs < window.toMs) difference.push(spanFrom(reachedMs, window.toMs));
  return difference;
}

export function spanHull(spans: readonly BoundedSpan[]): BoundedSpan | null {
  if (spans.length === 0) return null;
  const fromMs = Math.min(...spans.map((span) => span.fromMs));
  return { fromMs, toMs: Math.max(...spans.map((span) => span.toMs)) };
}

export const includesTime = (spans: readonly Span[], ms: number): boolean =>
  spans.some((span) => spanStart(span) <= ms && ms < span.toMs);

/** Returns at most `count` gaps: joins the oldest, including the time between them. */
export function joinOldest(gaps: readonly Span[], count: number): readonly Span[] {
  const [oldest] = gaps;
  const lastJoined = gaps.at(-count);
  if (gaps.length <= count || oldest === undefined || lastJoined === undefined) return gaps;
  return [{ fromMs: oldest.fromMs, toMs: lastJoined.toMs }, ...gaps.slice(gaps.length - count + 1)];
}

export const spanStart = ({ fromMs }: Span): number => fromMs ?? Number.NEGATIVE_INFINITY;

export const spanFrom = (fromMs: number, toMs: number): Span => ({
  fromMs: fromMs === Number.NEGATIVE_INFINITY ? null : fromMs,
  toMs,
});

const byStart = <S extends Span>(spans: readonly S[]): readonly S[] =>
  spans.toSorted((a, b) => spanStart(a) - spanStart(b));
