import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makePrivateFolder } from "../../db/private-files.ts";
import { EarshotError } from "../../lib/errors.ts";
import { inTransaction, openForWriting } from "../database.ts";
import { type SegmentIdentity, writeIdentity } from "./identity.ts";
import { segmentMigrations } from "./schema.ts";
import { updateTableChecksums } from "./table-checksums.ts";

const creatingCacheKib = 1_000;

/** Neither the file nor its WAL and shared-memory files may exist. */
export function createSegmentFile(path: string, identity: SegmentIdentity): void {
  makePrivateFolder(dirname(path));
  const segment = openForWriting(path, segmentMigrations, creatingCacheKib);
  try {
    inTransaction(segment, () => {
      writeIdentity(segment, identity);
      for (const _ of updateTableChecksums(segment));
    });
  } finally {
    segment.close();
  }
}

/** Errors: `segment_missing`. */
export function openSegmentFile(path: string, cacheKib: number): DatabaseSync {
  requireSegmentFile(path);
  return openForWriting(path, segmentMigrations, cacheKib);
}

/** Errors: `segment_missing`, even if empty, because SQLite would create a database. */
export function requireSegmentFile(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw segmentMissing(path);
}

export const segmentMissing = (path: string): EarshotError =>
  new EarshotError("segment_missing", `${path} is missing or empty, but the catalog lists it`, {
    status: 503,
    hint: "stop the server and restore the file or a backup, or run earshot archive recover to continue without it",
  });
