import type { Subject } from "@earshot/query/match";
import { once } from "../../lib/once.ts";
import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";

export function rowSubject(row: RecordRow): Subject {
  const post = once(() => decodeRecord(row));
  return {
    id: row.id,
    platform: row.platform,
    timeMs: row.timeMs,
    counts: row.counts,
    geo: () => post().geo,
    terms: once(() => indexTerms(post())),
  };
}
