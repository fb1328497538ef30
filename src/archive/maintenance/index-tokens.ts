import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { foldedTokens } from "../sealed/folded-tokens.ts";

export const indexTokens = (row: RecordRow): string[] =>
  foldedTokens(indexTerms(decodeRecord(row)).join(" "));
