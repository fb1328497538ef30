/** Unix milliseconds, `toMs` exclusive. */
export type Span = { fromMs: number; toMs: number };

/** The parts of `span` outside `held`, in order. */
export function missingOf(span: Span, stored: readonly Span[]): Span[] {
  const missing: Span[] = [];
  let fromMs = span.fromMs;
  for (const { fromMs: start, toMs: end } of inOrder(stored)) {
    if (start > fromMs) missing.push({ fromMs, toMs: Math.min(start, span.toMs) });
    fromMs = Math.max(fromMs, end);
    if (fromMs >= span.toMs) break;
  }
  if (fromMs < span.toMs) missing.push({ fromMs, toMs: span.toMs });
  return missing.filter((gap) => gap.fromMs < gap.toMs);
}

/** Merged spans in order; none touch. */
export function unionOf(spans: readonly Span[]): Span[] {
  const union: Span[] = [];
  for (const span of inOrder(spans)) {
    const last = union.at(-1);
    if (last === undefined || span.fromMs > last.toMs) union.push({ ...span });
    else last.toMs = Math.max(last.toMs, span.toMs);
  }
  return union;
}

export function hullOf(spans: readonly Span[]): Span | null {
  if (spans.length === 0) return null;
  const fromMs = Math.min(...spans.map((span) => span.fromMs));
  return { fromMs, toMs: Math.max(...spans.map((span) => span.toMs)) };
}

export const holds = (spans: readonly Span[], ms: number): boolean =>
  spans.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);

const inOrder = (spans: readonly Span[]): readonly Span[] =>
  spans.toSorted((a, b) => a.fromMs - b.fromMs);
