import { decodeEntities } from "@earshot/query/text";
import type { PostProperty } from "@earshot/query/tree";
import {
  allOf,
  anyOf,
  dependentTerm,
  type Expression,
  matchAll,
  negation,
  standaloneTerm,
  type Term,
} from "./expression.ts";

/** The matcher checks longer text. */
const maxCharacters = 120;

/** A `*`, which matches any one word, splits a phrase. */
export function textTerms(text: string): Expression {
  const pieces = parsePieces(text);
  return allOf(pieces.map((piece) => pieceTerm(piece)));
}

function pieceTerm(piece: string): Expression {
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(piece)) return matchAll;
  if (piece.length > maxCharacters) return matchAll;
  const isBare = isPlainWord(piece) || /^\p{RGI_Emoji}$/v.test(piece);
  return standaloneTerm(isBare ? piece : `"${piece}"`);
}

const isPlainWord = (piece: string): boolean =>
  /^[\p{L}\p{M}\p{N}_]+$/u.test(piece) && !/^(?:or|and|not)$/i.test(piece);

/** Excludes only plain ASCII text, which all tokenizers split alike. */
export function withoutText(text: string): Expression {
  const [piece, ...more] = parsePieces(text);
  if (piece === undefined || more.length > 0) return matchAll;
  if (piece.length > maxCharacters || !/^[a-z0-9]+(?: [a-z0-9]+)*$/i.test(piece)) return matchAll;
  return negation(standaloneTerm(isPlainWord(piece) ? piece : `"${piece}"`));
}

/** Drops characters with a meaning on X: quotation marks, backslashes, control characters. */
function parsePieces(text: string): string[] {
  return decodeEntities(text)
    .toWellFormed()
    .replace(/["\\“”„‟«»「」『』＂\p{Cc}\ufffd]/gu, " ")
    .split(/(?<!\S)[*＊](?!\S)/u)
    .map((piece) => piece.trim().split(/\s+/u).join(" "))
    .filter((piece) => piece !== "");
}

const xCodes = new Set(
  "am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu hi hu it ja kn ko lv lt ml mr fa pl pt ro ru sr sk sl es sv ta te th tr uk ur vi".split(
    " ",
  ),
);

const otherCodes: Readonly<Record<string, readonly string[]>> = {
  he: ["iw"],
  id: ["in"],
  nb: ["no"],
  zh: ["zh-CN", "zh-TW"],
};

/** Returns the primary language, or everything if X does not know it. */
export function languageTerms(code: string): Expression {
  const languageCodes = getCodes(code);
  return languageCodes.length === 0
    ? matchAll
    : anyOf(languageCodes.map((language) => dependentTerm(`lang:${language}`)));
}

/** Applies only if X's code has the same meaning. */
export function withoutLanguage(code: string): Expression {
  const [soleCode, ...more] = code.includes("-") ? [] : getCodes(code);
  return soleCode === undefined || more.length > 0
    ? matchAll
    : negation(dependentTerm(`lang:${soleCode}`));
}

function getCodes(code: string): readonly string[] {
  const primary = code.split("-")[0] ?? "";
  return otherCodes[primary] ?? (xCodes.has(primary) ? [primary] : []);
}

/** X's maximum radius is 25 miles. */
const maxKm = 40.2;

export type Circle = { lat: number; lon: number; radiusKm: number };

/** X rejects large circles and circles near a pole. */
export function circleTerm({ lat, lon, radiusKm }: Circle): Expression {
  // X computes distances with another formula.
  const radius = Math.ceil((radiusKm * 1.02 + 0.1) * 10) / 10;
  const isSupported = radius <= maxKm && Math.abs(lat) <= 89;
  if (!isSupported) return dependentTerm("has:geo");
  return standaloneTerm(`point_radius:[${degrees(lon)} ${degrees(lat)} ${radius}km]`);
}

const degrees = (value: number): string => String(Number(value.toFixed(6)));

/** Subsets of the properties, so their negations are supersets. */
export const exactPropertyTerms: Readonly<Partial<Record<PostProperty, Term>>> = {
  retweets: dependentTerm("is:retweet"),
  nativeretweets: dependentTerm("is:retweet"),
  replies: dependentTerm("is:reply"),
  quote: dependentTerm("is:quote"),
  media: dependentTerm("has:media"),
  hashtags: dependentTerm("has:hashtags"),
  mentions: dependentTerm("has:mentions"),
  cashtags: dependentTerm("has:cashtags"),
};

export const propertyTerms: Readonly<Record<PostProperty, Expression>> = {
  // Reposts older than the repost button say `RT` in their text.
  retweets: anyOf([dependentTerm("is:retweet"), standaloneTerm("RT")]),
  nativeretweets: dependentTerm("is:retweet"),
  replies: dependentTerm("is:reply"),
  quote: dependentTerm("is:quote"),
  self_threads: dependentTerm("is:reply"),
  safe: matchAll,
  verified: dependentTerm("is:verified"),
  links: dependentTerm("has:links"),
  media: dependentTerm("has:media"),
  images: dependentTerm("has:media"),
  // X separates animated GIFs from videos.
  videos: dependentTerm("has:media"),
  hashtags: dependentTerm("has:hashtags"),
  mentions: dependentTerm("has:mentions"),
  cashtags: dependentTerm("has:cashtags"),
  geo: dependentTerm("has:geo"),
  has_engagement: anyOf(["min_likes:1", "min_reposts:1", "min_replies:1"].map(standaloneTerm)),
};
