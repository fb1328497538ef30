/** In UTF-16 code units. */
export type TextSpan = { start: number; end: number };

export function spansStartingOutside<Span extends TextSpan>(
  spans: readonly Span[],
  covers: readonly TextSpan[],
): Span[] {
  let next = 0;
  let coveredTo = 0;
  return spans.filter(({ start }) => {
    for (let cover = covers[next]; cover !== undefined && cover.start <= start; ) {
      coveredTo = cover.end;
      next += 1;
      cover = covers[next];
    }
    return start >= coveredTo;
  });
}
