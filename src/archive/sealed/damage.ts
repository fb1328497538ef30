import { sqlite, sqliteResultCode } from "../../db/result-codes.ts";
import { EarshotError } from "../../lib/errors.ts";

/** The sealed tables are unreadable or inconsistent, but can be rebuilt from the rows. */
export class SealedDamageError extends Error {
  constructor(reason: string) {
    super(`the sealed index is damaged: ${reason}`);
    this.name = "SealedDamageError";
  }
}

export const missingRows = (): EarshotError =>
  new EarshotError("archive_damaged", "the segment has indexed posts that have no row", {
    hint: "repair it with earshot archive reindex --segment …, which lists lost posts",
  });

export function isDamage(error: unknown): boolean {
  if (error instanceof SealedDamageError) return true;
  const { message, code: nodeCode } = (error ?? {}) as { message?: unknown; code?: unknown };
  // The integer is too large for its table, so the page belongs to another table.
  if (nodeCode === "ERR_OUT_OF_RANGE") return true;
  // FTS5 has no error code for unreadable settings.
  if (typeof message === "string" && message.startsWith("invalid fts5 file format")) return true;
  const code = sqliteResultCode(error);
  return code === sqlite.corrupt || code === sqlite.notADatabase;
}
