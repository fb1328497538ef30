import { decodeEntities } from "./characters.ts";
import { withoutSkinTone } from "./emoji.ts";
import { type EntityOptions, findMentions } from "./entities.ts";
import { findLinks } from "./links.ts";
import { addAsciiWords, addRuns, isAscii, pairToken, type TextRun } from "./runs.ts";
import { spansStartingOutside, type TextSpan } from "./span.ts";

export { shortenToken } from "./token.ts";

export type AnalyzedText = {
  tokens: string[];
  /** Not part of phrases: emoji without their skin tone. */
  extras: string[];
};

/** Increment when the tokens of any text change. */
export const analyzerVersion = 3;

/** For a mention or link: no phrase crosses it and no query matches it. */
export const GAP = "|";

const skinTone = /\ud83c[\udffb-\udfff]/;
/** From all scripts, with inverted, opening and presentation forms. */
const questionMark =
  /[?¿\u037e\u055e\u061f\u1367\u203d\u2047-\u2049\u2753\u2754\u2cfa\u2cfb\u2e18\u2e2e\u2e54\ua60f\ua6f7\ufe16\ufe56\uff1f]|\ud804\udd43|\ud83a\udd5f/;
const everyQuestionMark = new RegExp(questionMark, "g");

/**
 * The analyzer of posts and queries:
 *
 * - It decodes five HTML entities, then folds the text (`foldWord`).
 * - A word is a run of letters, marks, digits and `_`. Apostrophes, hyphens, and changes between scripts with and without
 *   spaces separate words.
 * - A run of n characters of a script without spaces (or of Hangul) gives n tokens: its overlapping pairs, then its last
 *   character alone (`pairToken`). Each character begins exactly one token, so any substring is found as adjacent pairs.
 * - An emoji is one token, without variation selectors.
 * - A mention or link is replaced by a `GAP`, except at either end.
 * - A hashtag is indexed as a word.
 * - A token contains letters, marks, digits, `_`, or an emoji, and has at most 64 bytes (`shortenToken`).
 */
export function analyzeText(
  text: string,
  options: EntityOptions = { dottedHandles: true },
): AnalyzedText {
  const decoded = decodeEntities(text);
  const tokens: string[] = [];
  if (isAscii(decoded)) {
    const lower = decoded.toLowerCase();
    forEachVisiblePart(decoded, options, tokens, (start, end) =>
      addAsciiWords(lower, start, end, tokens),
    );
    return { tokens, extras: [] };
  }
  const wellFormed = decoded.toWellFormed();
  forEachVisiblePart(wellFormed, options, tokens, (start, end) => {
    const runs: TextRun[] = [];
    addRuns(wellFormed.slice(start, end), runs);
    for (const run of runs) addTokens(run, tokens);
  });
  return { tokens, extras: skinTone.test(wellFormed) ? emojiBases(tokens) : [] };
}

export function hasQuestionMark(text: string): boolean {
  if (!(isAscii(text) ? text.includes("?") : questionMark.test(text))) return false;
  const links = findLinks(text);
  if (links.length === 0) return true;
  const marks = Array.from(text.matchAll(everyQuestionMark), ({ index }) => ({
    start: index,
    end: index + 1,
  }));
  return spansStartingOutside(marks, links).length > 0;
}

/** Parts between mentions and links, with a gap between parts that have tokens. */
function forEachVisiblePart(
  text: string,
  options: EntityOptions,
  tokens: string[],
  addPart: (start: number, end: number) => void,
): void {
  const hidden = hiddenSpans(text, options);
  let start = 0;
  for (const span of hidden) {
    addAfterGap(tokens, start > 0, () => addPart(start, span.start));
    start = span.end;
  }
  addAfterGap(tokens, start > 0, () => addPart(start, text.length));
}

function addAfterGap(tokens: string[], isAfterHidden: boolean, add: () => void): void {
  const needsGap = isAfterHidden && tokens.length > 0 && tokens.at(-1) !== GAP;
  if (needsGap) tokens.push(GAP);
  const length = tokens.length;
  add();
  if (needsGap && tokens.length === length) tokens.pop();
}

function hiddenSpans(text: string, options: EntityOptions): readonly TextSpan[] {
  const links = findLinks(text);
  const mentions = findMentions(text, options);
  if (mentions.length === 0) return links;
  return [...links, ...spansStartingOutside(mentions, links)].sort((a, b) => a.start - b.start);
}

function addTokens(run: TextRun, tokens: string[]): void {
  if (typeof run === "string") {
    tokens.push(run);
    return;
  }
  for (let index = 0; index < run.length; index += 1) {
    tokens.push(pairToken(run[index] ?? "", run[index + 1] ?? ""));
  }
}

function emojiBases(tokens: readonly string[]): string[] {
  const bases = new Set<string>();
  for (const token of tokens) {
    const base = withoutSkinTone(token);
    if (base !== token) bases.add(base);
  }
  return [...bases];
}
