import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Platform, platforms } from "../../../posts/post.ts";
import { segmentNumbersIn } from "../../catalog/archive-files.ts";
import { segmentPath } from "../../catalog/catalog.ts";
import { bigIntPreparer, openForReading } from "../../database.ts";
import {
  type SegmentIdentity,
  unfinishedSetting,
  verifiedIdentity,
} from "../../segments/segment-file.ts";

export type Candidate = {
  platform: Platform;
  sequence: number;
  identity: SegmentIdentity | null;
  posts: number;
  minId: bigint | null;
  maxId: bigint | null;
};

export type UnusedFile = Pick<Candidate, "platform" | "sequence"> & { reason: UnusedReason };

export type UnusedReason =
  | "unreadable"
  | "unfinished"
  | "of another archive"
  | "replaced"
  | "overlapped";

export function readCandidates(folder: string): (Candidate | UnusedFile)[] {
  return platforms.flatMap((platform) =>
    segmentNumbersIn(folder, platform)
      .sort((a, b) => a - b)
      .map((sequence) => readCandidate(folder, platform, sequence)),
  );
}

function readCandidate(
  folder: string,
  platform: Platform,
  sequence: number,
): Candidate | UnusedFile {
  let segment: DatabaseSync | null = null;
  try {
    segment = openForReading(segmentPath(folder, { platform, sequence }), 1_000);
    return candidateIn(segment, platform, sequence);
  } catch {
    return { platform, sequence, reason: "unreadable" };
  } finally {
    segment?.close();
  }
}

function candidateIn(
  segment: DatabaseSync,
  platform: Platform,
  sequence: number,
): Candidate | UnusedFile {
  const postTable = segment.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'post'").get();
  if (postTable === undefined) return { platform, sequence, reason: "unfinished" };
  const prepare = bigIntPreparer(segment);
  const unfinishedRow = prepare("SELECT 1 FROM setting WHERE name = ?").get(unfinishedSetting);
  const posts = Number(prepare("SELECT value FROM setting WHERE name = 'posts'").get()?.value ?? 0);
  const identity = verifiedIdentity(segment);
  if (unfinishedRow !== undefined || (identity === null && posts === 0)) {
    return { platform, sequence, reason: "unfinished" };
  }
  return {
    platform,
    sequence,
    identity,
    posts,
    minId: idOrNull(prepare, "SELECT min(id) AS id FROM post"),
    maxId: idOrNull(prepare, "SELECT max(id) AS id FROM post"),
  };
}

function idOrNull(prepare: (sql: string) => StatementSync, sql: string): bigint | null {
  try {
    return prepare(sql).get()?.id as bigint | null;
  } catch {
    return null;
  }
}
