import { durable, read } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import { writeAuditEntry } from "../audit.ts";
import { type ExportedKind, type ExportPosition, nextRow } from "./export-rows.ts";

export type ExportRequest = { accountId: string; kind: ExportedKind; after: ExportPosition };

/** `text` contains JSON lines. `next` is null at the end of the kind. */
export type ExportPart = { text: string; lines: number; next: ExportPosition };

/** A line is never split, so a large result may exceed `maxCharacters`. */
const maxLines = 200;
const maxCharacters = 256 * 1024;

export const exportOperations = {
  recordExport: durable(function* (
    database,
    { accountId, nowMs }: { accountId: string; nowMs: number },
  ): Steps<null> {
    const actor = { accountId };
    yield* writeAuditEntry(database, { atMs: nowMs, action: "account_exported", actor, accountId });
    return null;
  }),

  exportAccount: read(function* (
    database,
    { accountId, kind, after }: ExportRequest,
  ): Steps<ExportPart> {
    let text = "";
    let lines = 0;
    let next = after;
    while (lines < maxLines && text.length < maxCharacters) {
      const exportedRow = yield* nextRow[kind](database, accountId, next);
      if (exportedRow === null) return { text, lines, next: null };
      text += `${JSON.stringify({ kind, ...exportedRow.line })}\n`;
      lines += 1;
      next = exportedRow.position;
    }
    return { text, lines, next };
  }),
};
