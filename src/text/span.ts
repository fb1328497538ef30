/** A stretch of a text in UTF-16 code units; `end` is exclusive. */
export type TextSpan = { start: number; end: number };
