import { decodeEntities } from "@earshot/query/text";
import { allOf, type Expression, matchAll, negation, standalone } from "./expression.ts";

/** The matcher checks longer text. */
const maxCharacters = 120;

/** A `*` for any one word splits a phrase. */
export function textTerms(text: string): Expression {
  const pieces = parsePieces(text);
  return allOf(pieces.map((piece) => pieceTerm(piece)));
}

function pieceTerm(piece: string): Expression {
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(piece)) return matchAll;
  if (piece.length > maxCharacters) return matchAll;
  const isBare = isPlainWord(piece) || /^\p{RGI_Emoji}$/v.test(piece);
  return standalone(isBare ? piece : `"${piece}"`);
}

const isPlainWord = (piece: string): boolean =>
  /^[\p{L}\p{M}\p{N}_]+$/u.test(piece) && !/^(?:or|and|not)$/i.test(piece);

/** Only plain ASCII, which all tokenizers split alike. */
export function withoutText(text: string): Expression {
  const [piece, ...more] = parsePieces(text);
  if (piece === undefined || more.length > 0) return matchAll;
  if (piece.length > maxCharacters || !/^[a-z0-9]+(?: [a-z0-9]+)*$/i.test(piece)) return matchAll;
  return negation(standalone(isPlainWord(piece) ? piece : `"${piece}"`));
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
