import {
  codePointClass,
  codeUnitClass,
  foldWord,
  mark,
  spaceless,
  surrogate,
  wordClass,
} from "./characters.ts";
import { splitEmoji } from "./emoji.ts";
import { shortenToken } from "./token.ts";
import { foldable, pictures, textTraits } from "./traits.ts";

/** A word or emoji, or characters with their marks in a script without spaces. */
export type TextRun = string | readonly string[];

const aboveAscii = /[\u0080-\uffff]/;
/** Bounds the length of a pair token. */
const maxMarks = 4;

/**
 * A `_` precedes the pair for each mark of the first character (and its second surrogate), so that
 * a character's prefix search does not match it with further marks.
 */
export function pairToken(character: string, next: string): string {
  return character.length === 1
    ? character + next
    : "_".repeat(character.length - 1) + character + next;
}

type WordSink = { push(token: string): unknown };

export function isAscii(text: string): boolean {
  return !aboveAscii.test(text);
}

export function splitIntoRuns(text: string): TextRun[] {
  const runs: TextRun[] = [];
  if (isAscii(text)) addAsciiWords(text.toLowerCase(), 0, text.length, runs);
  else addRuns(text, runs);
  return runs;
}

export function addAsciiWords(text: string, start: number, end: number, words: WordSink): void {
  let from = -1;
  for (let index = start; index < end; index += 1) {
    if (codeUnitClass(text.charCodeAt(index)) === wordClass) {
      if (from < 0) from = index;
    } else if (from >= 0) {
      words.push(foldedToken(text, from, index));
      from = -1;
    }
  }
  if (from >= 0) words.push(foldedToken(text, from, end));
}

/** `text` must be well-formed. */
export function addRuns(text: string, runs: TextRun[]): void {
  const traits = textTraits(text);
  if ((traits & pictures) === 0) {
    addFoldedRuns((traits & foldable) === 0 ? text.toLowerCase() : foldWord(text), runs);
    return;
  }
  splitEmoji(
    text,
    (part) => addFoldedRuns(foldWord(part), runs),
    (emoji) => runs.push(shortenToken(emoji)),
  );
}

function addFoldedRuns(text: string, runs: TextRun[]): void {
  let index = 0;
  while (index < text.length) {
    const kind = classAt(text, index);
    if (kind === wordClass) index = addWord(text, index, runs);
    else if (kind === spaceless) index = addCharacters(text, index, runs);
    else index += widthAt(text, index);
  }
}

function addWord(text: string, start: number, runs: TextRun[]): number {
  let end = start + widthAt(text, start);
  while (end < text.length) {
    const kind = classAt(text, end);
    if (kind !== wordClass && kind !== mark) break;
    end += widthAt(text, end);
  }
  runs.push(foldedToken(text, start, end));
  return end;
}

function addCharacters(text: string, start: number, runs: TextRun[]): number {
  const characters: string[] = [];
  let index = start;
  while (index < text.length && classAt(text, index) === spaceless) {
    let end = index + widthAt(text, index);
    let unitEnd = end;
    let marks = 0;
    while (end < text.length && classAt(text, end) === mark) {
      end += widthAt(text, end);
      marks += 1;
      if (marks <= maxMarks) unitEnd = end;
    }
    characters.push(text.slice(index, unitEnd));
    index = end;
  }
  runs.push(characters);
  return index;
}

function foldedToken(text: string, start: number, end: number): string {
  const token = text.slice(start, end);
  return token.length > 21 ? shortenToken(token) : token;
}

function classAt(text: string, index: number): number {
  const kind = codeUnitClass(text.charCodeAt(index));
  return kind === surrogate ? codePointClass(text.codePointAt(index) ?? 0) : kind;
}

function widthAt(text: string, index: number): number {
  return codeUnitClass(text.charCodeAt(index)) === surrogate ? 2 : 1;
}
