import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/**
 * What a segment file notes of itself, so that a catalog that is not the archive's present one is recognised, and can be
 * rebuilt. A copy that is being made has no identity until the commit that puts it in the place of a segment.
 */
export type SegmentIdentity = {
  /** The key of the archive's uri hashes; it is what one archive differs from another in. */
  uriKey: string;
  platform: string;
  sequence: number;
  /** The first ID that the segment owned when it was made. */
  low: bigint;
  /** The catalog commit that made it, and the last one in which it was written; 0 for one from before they were counted. */
  madeIn: number;
  writtenIn: number;
  /** The sequence number of the segment in whose place it was put; null where it began empty. */
  replaces: number | null;
};

/** The setting of a copy that is being made. */
export const unfinished = "unfinished";

/** Notes who a segment is, within a transaction of it. */
export function writeIdentity(segment: DatabaseSync, identity: SegmentIdentity): void {
  const put = segment.prepare("INSERT OR REPLACE INTO setting VALUES(?, ?)");
  put.run("uri_key", identity.uriKey);
  put.run("platform", identity.platform);
  put.run("sequence", identity.sequence);
  put.run("low", identity.low);
  put.run("made_in", identity.madeIn);
  put.run("written_in", identity.writtenIn);
  if (identity.replaces !== null) put.run("replaces", identity.replaces);
  put.run(sumName, sumOf(identity));
}

/** Notes the catalog commit in which a segment is written, within a transaction of it. */
export function writtenInWriter(segment: DatabaseSync): (commit: number) => void {
  const put = segment.prepare("UPDATE setting SET value = ? WHERE name = ?");
  return (commit) => {
    put.run(commit, "written_in");
    const identity = readIdentity(segment);
    if (identity !== null) put.run(sumOf(identity), sumName);
  };
}

const sumName = "identity_sum";

const sumOf = (identity: SegmentIdentity): number => {
  const { uriKey, platform, sequence, low, madeIn, writtenIn, replaces } = identity;
  return crc32(`${uriKey} ${platform} ${sequence} ${low} ${madeIn} ${writtenIn} ${replaces}`);
};

/** The identity of a segment where it matches its checksum; a changed bit must not make it one of another archive. */
export function intactIdentity(segment: DatabaseSync): SegmentIdentity | null {
  const identity = readIdentity(segment);
  if (identity === null) return null;
  const sum = segment.prepare("SELECT value FROM setting WHERE name = ?").get(sumName)?.value;
  return sum === undefined || sum === sumOf(identity) ? identity : null;
}

/** Null where the segment has none yet: an earlier version made it, or it is a copy that was not finished. */
export function readIdentity(segment: DatabaseSync): SegmentIdentity | null {
  const find = segment.prepare("SELECT value FROM setting WHERE name = ?");
  find.setReadBigInts(true);
  const read = (name: string): unknown => find.get(name)?.value;
  const low = read("low");
  if (typeof low !== "bigint") return null;
  const replaces = read("replaces");
  return {
    uriKey: String(read("uri_key")),
    platform: String(read("platform")),
    sequence: Number(read("sequence")),
    low,
    madeIn: Number(read("made_in")),
    writtenIn: Number(read("written_in")),
    replaces: replaces === undefined ? null : Number(replaces),
  };
}

/** How long the file of a segment is waited for, milliseconds: another process may be recovering its log. */
const busyTimeoutMs = 1_000;

/**
 * The identity in a file. `unknown`: an earlier version filled it, or it is a copy that was not finished. `empty`: there is no
 * post in it, as it was being created. `unreadable`: SQLite cannot read it, or it does not match its checksum.
 */
export function identityIn(path: string): SegmentIdentity | "unknown" | "empty" | "unreadable" {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return "empty";
  let segment: DatabaseSync | null = null;
  try {
    segment = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    if (segment.prepare("PRAGMA user_version").get()?.user_version === 0) return "empty";
    const identity = intactIdentity(segment);
    if (identity !== null) return identity;
    if (readIdentity(segment) !== null) return "unreadable";
    return segment.prepare("SELECT 1 FROM post LIMIT 1").get() === undefined ? "empty" : "unknown";
  } catch {
    return "unreadable";
  } finally {
    segment?.close();
  }
}
