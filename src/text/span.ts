/** A stretch of a text in UTF-16 code units; `end` is exclusive. */
export type TextSpan = { start: number; end: number };

/**
 * Those of `spans` that begin outside of every one of `covers`. Both are in order of their starts and `covers` do not overlap;
 * one walk along the two, so that the work is the sum of their lengths.
 */
export function startingOutside<Span extends TextSpan>(
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
