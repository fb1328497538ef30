import type { Clock } from "../../lib/clock.ts";
import type { RecordLimits } from "../import/formats/format.ts";
import type { ImportSource } from "../import/source.ts";
import type { AnalysedPosts, ImportAnalysis } from "./import-analysis.ts";
import type { Rejection } from "./read-lines.ts";
import type { RecordCounts } from "./record-counts.ts";

/** A part of a file that is written in one batch, ready to be. */
export type AnalysedChunk = {
  /** Null where it has no posts. */
  prepared: AnalysedPosts["body"] | null;
  posts: number;
  /** By their lines in the file. */
  rejections: readonly Rejection[];
  /** What the rejected file needs as its first line; null for nothing. */
  head: Buffer | null;
  counts: RecordCounts;
  /** How far the file is read behind it: the last record, and the offset where the next one begins. */
  end: { lines: number; bytes: number };
  /** Whether a strict import ends here: the last rejection is the reason. */
  isStopped: boolean;
};

/** In an object, as an async generator awaits promises. */
export type PendingChunk = { chunk: Promise<AnalysedChunk> };

export type ChunksRequest = {
  source: ImportSource;
  analysis: ImportAnalysis;
  clock: Clock;
  limits: RecordLimits;
  onBadLine: "reject" | "stop";
  /** How far an earlier run came. */
  from: { lines: number; bytes: number };
};

/** Records of a chunk, and bytes at which it ends. */
export const chunkRecords = 5_000;
export const chunkBytes = 16 * 1024 ** 2;
