import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and control characters part tokens
const betweenTokens = /[\u0000-\u0020\u007f]+/;
const capitals = /[A-Z]/g;

/** The tokens by which a post is found, in their order, as the index's tokenizer makes them of its terms. */
export function indexTokens(row: RecordRow): string[] {
  const terms = indexTerms(decodeRecord(row)).join(" ").toWellFormed();
  return terms
    .replace(capitals, (letter) => letter.toLowerCase())
    .split(betweenTokens)
    .filter((token) => token !== "");
}
