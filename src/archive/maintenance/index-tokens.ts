import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { foldedTokens } from "../sealed/sealed-query.ts";

export const indexTokens = (row: RecordRow): string[] =>
  foldedTokens(indexTerms(decodeRecord(row)).join(" "));
