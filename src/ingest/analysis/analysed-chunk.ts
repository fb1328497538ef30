import type { Clock } from "../../lib/clock.ts";
import type { RecordLimits } from "../import/formats/format.ts";
import type { ImportSource } from "../import/source.ts";
import type { AnalysedPosts, ImportAnalysis } from "./import-analysis.ts";
import type { Rejection } from "./read-lines.ts";
import type { RecordCounts } from "./record-counts.ts";

/** A part of a file, analysed and ready to be written in one batch. */
export type AnalysedChunk = {
  /** Null if the chunk has no posts. */
  prepared: AnalysedPosts["body"] | null;
  posts: number;
  rejections: readonly Rejection[];
  /** First line that the rejected file needs, or null. */
  head: Buffer | null;
  counts: RecordCounts;
  /** Position after the chunk: the number of its last record and the offset of the next. */
  end: { lines: number; bytes: number };
  /** Whether a strict import stops here; the last rejection is the reason. */
  isStopped: boolean;
};

/** Wrapped in an object because an async generator awaits yielded promises. */
export type PendingChunk = { chunk: Promise<AnalysedChunk> };

export type ChunksRequest = {
  source: ImportSource;
  analysis: ImportAnalysis;
  clock: Clock;
  limits: RecordLimits;
  onBadLine: "reject" | "stop";
  from: { lines: number; bytes: number };
};

/** A chunk ends at either limit: records or bytes. */
export const chunkRecords = 5_000;
export const chunkBytes = 16 * 1024 ** 2;
