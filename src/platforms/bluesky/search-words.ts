import { decodeEntities } from "../../text/html.ts";

/** Letters and digits of any script; an apostrophe or a dot between two of them belongs to the word. */
const pieceForm = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:['’.][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*/gu;
const plainPiece = /^[A-Za-z0-9]+$/;
/** Words that a query of the platform could take for operators. */
const operatorWord = /^(?:and|or|not|to)$/i;
/** What has no shape; a zero width space parts words. */
const invisible = /(?!\u200b)\p{Cf}/gu;
/** What makes an emoji of a digit. */
const keycap = "\u20e3";
const mostWords = 30;

/**
 * What of a word or a phrase can be written into `q`: its words, those of plain letters side by side as a quoted phrase. A lone `*`
 * parts them; signs and emoji are left out, which finds more.
 */
export function wordsOf(text: string): readonly string[] {
  return decodeEntities(text)
    .normalize("NFC")
    .replaceAll(invisible, "")
    .split(/(?<=^|\s)\*(?=\s|$)/u)
    .flatMap(partWords)
    .slice(0, mostWords);
}

function partWords(part: string): readonly string[] {
  const found = (part.match(pieceForm) ?? []).filter((piece) => !piece.includes(keycap));
  const pieces = found.map((piece) => piece.replaceAll("’", "'"));
  if (pieces.length > 1 && pieces.every((piece) => plainPiece.test(piece))) {
    return [`"${pieces.join(" ")}"`];
  }
  return pieces.map((piece) => (operatorWord.test(piece) ? piece.toLowerCase() : piece));
}
