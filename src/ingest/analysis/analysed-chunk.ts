import type { Clock } from "../../lib/clock.ts";
import type { RecordLimits } from "../import/formats/format.ts";
import type { ImportSource } from "../import/source.ts";
import type { AnalysedPosts, ImportAnalysis } from "./import-analysis.ts";
import type { Rejection } from "./read-lines.ts";
import type { RecordCounts } from "./record-counts.ts";

export type AnalysedChunk = {
  prepared: AnalysedPosts["body"] | null;
  posts: number;
  rejections: readonly Rejection[];
  head: Buffer | null;
  counts: RecordCounts;
  end: { lines: number; bytes: number };
  /** A strict import stops here, at the last rejection. */
  isStopped: boolean;
};

/** An object, because an async generator awaits yielded promises. */
export type PendingChunk = { chunk: Promise<AnalysedChunk> };

export type ChunksRequest = {
  source: ImportSource;
  analysis: ImportAnalysis;
  clock: Clock;
  limits: RecordLimits;
  onBadLine: "reject" | "stop";
  from: { lines: number; bytes: number };
};

export const chunkRecords = 5_000;
export const chunkBytes = 16 * 1024 ** 2;
