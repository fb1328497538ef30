import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/**
 * Detects a catalog of another archive or time, and allows rebuilding one. A rewritten segment gets
 * its identity in the commit that replaces the old one.
 */
export type SegmentIdentity = {
  uriKey: string;
  platform: string;
  sequence: number;
  low: bigint;
  /** Catalog commits of its creation and last write; 0 if older than commit numbers. */
  madeIn: number;
  writtenIn: number;
  /** The replaced segment's sequence number; null if created empty. */
  replaces: number | null;
};

export const unfinished = "unfinished";

/** Requires a transaction. */
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

/** Requires a transaction. */
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

/** Null if the checksum fails: a flipped bit must not make it a segment of another archive. */
export function intactIdentity(segment: DatabaseSync): SegmentIdentity | null {
  const identity = readIdentity(segment);
  if (identity === null) return null;
  const sum = segment.prepare("SELECT value FROM setting WHERE name = ?").get(sumName)?.value;
  return sum === undefined || sum === sumOf(identity) ? identity : null;
}

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

/** Another process may be recovering the log. */
const busyTimeoutMs = 1_000;

/** `unknown`: from an earlier version, or unfinished. `empty`: its creation did not finish. */
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
