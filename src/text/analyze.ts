import { withoutSkinTone } from "./emoji.ts";
import { type EntityOptions, findMentions } from "./entities.ts";
import { decodeEntities } from "./html.ts";
import { findLinks } from "./links.ts";
import { addAsciiWords, addRuns, isAscii, pairToken, type Run } from "./runs.ts";
import { startingOutside, type TextSpan } from "./span.ts";

export { shortenToken } from "./token.ts";

/**
 * The one analyzer: how the text of a post becomes the tokens that queries are matched with.
 *
 * - Five HTML entities are decoded, then the text is folded (`foldWord`).
 * - A word is a run of letters, marks, digits and `_`. Apostrophes and hyphens separate, and so does a change between
 *   scripts with and without spaces.
 * - A run of n characters of a script without spaces (and of Hangul) is n tokens: its overlapping pairs, then its last
 *   character alone (`pairToken`). So each character begins exactly one token, and any substring is found as adjacent pairs.
 * - An emoji is one token, without variation selectors.
 * - A mention or a link is left out; a `GAP` stands where it was, unless at an end.
 * - A hashtag's word is a word.
 * - A token holds letters, marks, digits, `_`, or an emoji, and is at most 64 bytes long (`shortenToken`).
 */
export type Analysis = {
  /** In the order of the text. */
  tokens: string[];
  /** Further tokens by which the text is found, outside of any phrase: emoji without their skin tone. */
  extras: string[];
};

/** Goes up with every change that makes other tokens of the same text. */
export const analyzerVersion = 3;
/** The version of Unicode whose letters and emoji made the tokens. */
export const unicodeVersion: string = process.versions.unicode ?? "unknown";

/** A token that no phrase crosses and no query can ask for. */
export const GAP = "|";

const skinTone = /\ud83c[\udffb-\udfff]/;
/** Of every script that has one, with those that stand at the start, on their head or in another form. */
const questionMark =
  /[?¿\u037e\u055e\u061f\u1367\u203d\u2047-\u2049\u2753\u2754\u2cfa\u2cfb\u2e18\u2e2e\u2e54\ua60f\ua6f7\ufe16\ufe56\uff1f]|\ud804\udd43|\ud83a\udd5f/;
const everyQuestionMark = new RegExp(questionMark, "g");

/**
 * The tokens of a post's text. Takes any string and never throws. Mentions reach over the dots of a handle unless
 * `dottedHandles` is false: on platforms whose handles hold none, what follows the dot is a word.
 */
export function analyzeText(
  text: string,
  options: EntityOptions = { dottedHandles: true },
): Analysis {
  const decoded = decodeEntities(text);
  const tokens: string[] = [];
  if (isAscii(decoded)) {
    const lower = decoded.toLowerCase();
    eachVisiblePart(decoded, options, tokens, (start, end) =>
      addAsciiWords(lower, start, end, tokens),
    );
    return { tokens, extras: [] };
  }
  const wellFormed = decoded.toWellFormed();
  eachVisiblePart(wellFormed, options, tokens, (start, end) => {
    const runs: Run[] = [];
    addRuns(wellFormed.slice(start, end), runs);
    for (const run of runs) addTokens(run, tokens);
  });
  return { tokens, extras: skinTone.test(wellFormed) ? emojiBases(tokens) : [] };
}

/** True when the text holds a question mark of any script outside of its links. */
export function asksQuestion(text: string): boolean {
  if (!(isAscii(text) ? text.includes("?") : questionMark.test(text))) return false;
  const links = findLinks(text);
  if (links.length === 0) return true;
  const marks = Array.from(text.matchAll(everyQuestionMark), ({ index }) => ({
    start: index,
    end: index + 1,
  }));
  return startingOutside(marks, links).length > 0;
}

/** Calls back for each stretch of text between mentions and links, and puts a gap between two that gave tokens. */
function eachVisiblePart(
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
  return [...links, ...startingOutside(mentions, links)].sort((a, b) => a.start - b.start);
}

function addTokens(run: Run, tokens: string[]): void {
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
