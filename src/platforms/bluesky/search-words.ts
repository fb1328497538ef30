import { decodeEntities } from "@earshot/query/text";

const piecePattern = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:['’.][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*/gu;
const plainPiece = /^[A-Za-z0-9]+$/;
/** In the platform's query syntax. */
const operatorWord = /^(?:and|or|not|to)$/i;
/** The zero width space separates words. */
const invisible = /(?!\u200b)\p{Cf}/gu;
/** Makes an emoji from a digit. */
const keycap = "\u20e3";
const maxWords = 30;

/** Adjacent plain ASCII words form a phrase. Dropping punctuation and emoji widens the search. */
export function searchTerms(text: string): readonly string[] {
  return decodeEntities(text)
    .normalize("NFC")
    .replaceAll(invisible, "")
    .split(/(?<=^|\s)\*(?=\s|$)/u)
    .flatMap(partTerms)
    .slice(0, maxWords);
}

function partTerms(part: string): readonly string[] {
  const matches = (part.match(piecePattern) ?? []).filter((piece) => !piece.includes(keycap));
  const pieces = matches.map((piece) => piece.replaceAll("’", "'"));
  if (pieces.length > 1 && pieces.every((piece) => plainPiece.test(piece))) {
    return [`"${pieces.join(" ")}"`];
  }
  return pieces.map((piece) => (operatorWord.test(piece) ? piece.toLowerCase() : piece));
}
