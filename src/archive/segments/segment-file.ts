import { statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { makePrivateFolder } from "../../db/connection.ts";
import { EarshotError } from "../../lib/errors.ts";
import { inTransaction, openForWriting } from "../database.ts";
import { segmentMigrations } from "./schema.ts";
import { updateTableChecksums } from "./table-checksums.ts";

const creationCacheKib = 1_000;

/** Neither the file nor its WAL or shared-memory file may exist. */
export function createSegmentFile(path: string, identity: SegmentIdentity): void {
  makePrivateFolder(dirname(path));
  const segment = openForWriting(path, segmentMigrations, creationCacheKib);
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

/** Errors: `segment_missing`, even if the file is empty, because SQLite would create a database. */
export function requireSegmentFile(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw segmentMissing(path);
}

export const segmentMissing = (path: string): EarshotError =>
  new EarshotError("segment_missing", `${path} is missing or empty, but the catalog lists it`, {
    status: 503,
    hint: "stop the server and restore the file or a backup, or run earshot archive recover to continue without it",
  });

/**
 * Identifies a segment and its archive, so that a catalog from another archive, or an older copy,
 * is detected and can be rebuilt. A rewritten file gets its identity in the commit that replaces
 * the old file.
 */
export type SegmentIdentity = {
  uriKey: string;
  platform: string;
  sequence: number;
  low: bigint;
  /** Catalog commits of its creation and last write; 0 if they had no numbers yet. */
  createdInCommit: number;
  lastWrittenInCommit: number;
  /** Sequence number of the replaced segment; null if this one was created empty. */
  replaces: number | null;
};

export const unfinishedSetting = "unfinished";

/** Requires a transaction. */
export function writeIdentity(segment: DatabaseSync, identity: SegmentIdentity): void {
  const insertSetting = segment.prepare("INSERT OR REPLACE INTO setting VALUES(?, ?)");
  insertSetting.run("uri_key", identity.uriKey);
  insertSetting.run("platform", identity.platform);
  insertSetting.run("sequence", identity.sequence);
  insertSetting.run("low", identity.low);
  insertSetting.run("made_in", identity.createdInCommit);
  insertSetting.run("written_in", identity.lastWrittenInCommit);
  if (identity.replaces !== null) insertSetting.run("replaces", identity.replaces);
  insertSetting.run(checksumSetting, computeChecksum(identity));
}

/** Requires a transaction. */
export function prepareLastWriteUpdate(segment: DatabaseSync): (commit: number) => void {
  const updateSetting = segment.prepare("UPDATE setting SET value = ? WHERE name = ?");
  return (commit) => {
    updateSetting.run(commit, "written_in");
    const identity = readIdentity(segment);
    if (identity !== null) updateSetting.run(computeChecksum(identity), checksumSetting);
  };
}

const checksumSetting = "identity_sum";

const computeChecksum = (identity: SegmentIdentity): number => {
  const { uriKey, platform, sequence, low, createdInCommit, lastWrittenInCommit, replaces } =
    identity;
  return crc32(
    `${uriKey} ${platform} ${sequence} ${low} ${createdInCommit} ${lastWrittenInCommit} ${replaces}`,
  );
};

/**
 * Null if the checksum does not match, so that a flipped bit does not make the segment appear to
 * belong to another archive.
 */
export function verifiedIdentity(segment: DatabaseSync): SegmentIdentity | null {
  const identity = readIdentity(segment);
  if (identity === null) return null;
  const checksum = segment
    .prepare("SELECT value FROM setting WHERE name = ?")
    .get(checksumSetting)?.value;
  return checksum === undefined || checksum === computeChecksum(identity) ? identity : null;
}

export function readIdentity(segment: DatabaseSync): SegmentIdentity | null {
  const selectSetting = segment.prepare("SELECT value FROM setting WHERE name = ?");
  selectSetting.setReadBigInts(true);
  const read = (name: string): unknown => selectSetting.get(name)?.value;
  const low = read("low");
  if (typeof low !== "bigint") return null;
  const replaces = read("replaces");
  return {
    uriKey: String(read("uri_key")),
    platform: String(read("platform")),
    sequence: Number(read("sequence")),
    low,
    createdInCommit: Number(read("made_in")),
    lastWrittenInCommit: Number(read("written_in")),
    replaces: replaces === undefined ? null : Number(replaces),
  };
}

/** Another process may be recovering the WAL. */
const busyTimeoutMs = 1_000;

/**
 * `unknown`: has posts but no identity, after an earlier version or an interrupted rewrite.
 * `empty`: has no posts, because its creation was interrupted.
 */
export function identityIn(path: string): SegmentIdentity | "unknown" | "empty" | "unreadable" {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return "empty";
  let segment: DatabaseSync | null = null;
  try {
    segment = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    if (segment.prepare("PRAGMA user_version").get()?.user_version === 0) return "empty";
    const identity = verifiedIdentity(segment);
    if (identity !== null) return identity;
    if (readIdentity(segment) !== null) return "unreadable";
    return segment.prepare("SELECT 1 FROM post LIMIT 1").get() === undefined ? "empty" : "unknown";
  } catch {
    return "unreadable";
  } finally {
    segment?.close();
  }
}
