import { sqlite, sqliteResultCode } from "../../db/result-codes.ts";
import { EarshotError } from "../../lib/errors.ts";

/** The sealed tables are unreadable or inconsistent, but can be rebuilt from the rows. */
export class SealedDamage extends Error {
  constructor(what: string) {
    super(`the sealed index is damaged: ${what}`);
    this.name = "SealedDamage";
  }
}

export const missingRows = (): EarshotError =>
  new EarshotError("archive_damaged", "indexed posts of the segment have no row", {
    hint: "repair it with earshot archive reindex --segment …, which lists lost posts",
  });

export function isDamage(error: unknown): boolean {
  if (error instanceof SealedDamage) return true;
  const { message, code: nodeCode } = (error ?? {}) as { message?: unknown; code?: unknown };
  // The integer is too large for its table, so the page belongs to another table.
  if (nodeCode === "ERR_OUT_OF_RANGE") return true;
  // FTS5 has no error code for unreadable settings.
  if (typeof message === "string" && message.startsWith("invalid fts5 file format")) return true;
  const code = sqliteResultCode(error);
  return code === sqlite.corrupt || code === sqlite.notADatabase;
}
