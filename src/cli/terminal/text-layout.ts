import { once } from "../../lib/once.ts";

// Constructing the segmenter takes about 8 ms.
const graphemes = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

const ascii = /^[\x20-\x7e]*$/;

const wideCharacter =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** East Asian letters and emoji take two columns. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(text)) width += wideCharacter.test(segment) ? 2 : 1;
  return width;
}

/** Breaks at spaces; a word longer than a line breaks anywhere. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(columns, 2)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let currentLine = "";
  for (const word of line.split(" ")) {
    const extendedLine = currentLine === "" ? word : `${currentLine} ${word}`;
    if (displayWidth(extendedLine) <= columns) {
      currentLine = extendedLine;
      continue;
    }
    if (currentLine !== "") lines.push(currentLine);
    const pieces = splitWord(word, columns);
    currentLine = pieces.pop() ?? "";
    lines.push(...pieces);
  }
  return [...lines, currentLine];
}

function splitWord(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let currentPiece = "";
  let width = 0;
  for (const { segment } of graphemes().segment(word)) {
    const segmentWidth = displayWidth(segment);
    if (width + segmentWidth > columns && currentPiece !== "") {
      pieces.push(currentPiece);
      currentPiece = "";
      width = 0;
    }
    currentPiece += segment;
    width += segmentWidth;
  }
  return [...pieces, currentPiece];
}
