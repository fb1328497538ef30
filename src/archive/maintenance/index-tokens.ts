import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { foldedTokens } from "../sealed/folded-tokens.ts";

/** The tokens by which a post is found, in their order, as the index's tokenizer makes them of its terms. */
export const indexTokens = (row: RecordRow): string[] =>
  foldedTokens(indexTerms(decodeRecord(row)).join(" "));
