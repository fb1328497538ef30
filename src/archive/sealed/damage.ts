import { EarshotError } from "../../lib/errors.ts";

/**
 * The sealed tables of a segment cannot be read, or contradict themselves. The rows of its posts are untouched by that: the index
 * can be made anew from them.
 */
export class SealedDamage extends Error {
  constructor(what: string) {
    super(`the sealed index is damaged: ${what}`);
    this.name = "SealedDamage";
  }
}

/** Posts that an index names have no row: another index would hide that they are lost. */
export const missingRows = (): EarshotError =>
  new EarshotError("archive_damaged", "posts that the index of the segment names have no row", {
    hint: "earshot archive reindex --segment … repairs it, and lists what is lost",
  });

/** SQLite's codes for a file that is damaged, and for one that is none of its. */
const damageCodes = new Set([11, 26]);

/** Whether an error says that what is read of a sealed index cannot be trusted. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SealedDamage) return true;
  const { errcode: code, message } = (error ?? {}) as { errcode?: unknown; message?: unknown };
  // FTS5 has no code of its own for settings that it cannot read.
  if (typeof message === "string" && message.startsWith("invalid fts5 file format")) return true;
  // The lower byte of an extended code is the plain one.
  return typeof code === "number" && damageCodes.has(code & 0xff);
}
