import { once } from "../../lib/once.ts";

// Constructing the segmenter takes about 8 ms.
const graphemes = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

const ascii = /^[\x20-\x7e]*$/;

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** East Asian letters and emoji take two columns. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Breaks at spaces; a word longer than a line breaks anywhere. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(columns, 2)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (displayWidth(longer) <= columns) {
      current = longer;
      continue;
    }
    if (current !== "") lines.push(current);
    const pieces = cut(word, columns);
    current = pieces.pop() ?? "";
    lines.push(...pieces);
  }
  return [...lines, current];
}

function cut(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let current = "";
  let width = 0;
  for (const { segment } of graphemes().segment(word)) {
    const more = displayWidth(segment);
    if (width + more > columns && current !== "") {
      pieces.push(current);
      current = "";
      width = 0;
    }
    current += segment;
    width += more;
  }
  return [...pieces, current];
}
