import type { PackedPosts } from "../../archive/bulk/packed-posts.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Post } from "../../posts/post.ts";
import type { RecordLimits } from "../import/formats/format.ts";
import type { ImportSource } from "../import/source.ts";
import type { LinesRequest, LinesResult, RecordCounts, Rejection } from "./read-lines.ts";

export type AnalysedBatch = {
  packedPosts: AnalysedPosts["body"] | null;
  posts: number;
  rejections: readonly Rejection[];
  head: Buffer | null;
  counts: RecordCounts;
  end: { lines: number; bytes: number };
  /** True if a strict import stops at this batch's last rejection. */
  isStopped: boolean;
};

/** An object, because an async generator awaits promises that it yields. */
export type PendingBatch = { batch: Promise<AnalysedBatch> };

export type BatchesRequest = {
  source: ImportSource;
  analysis: ImportAnalysis;
  clock: Clock;
  limits: RecordLimits;
  onBadLine: "reject" | "stop";
  from: { lines: number; bytes: number };
};

export const maxBatchRecords = 5_000;
export const maxBatchBytes = 16 * 1024 ** 2;

type AnalysedPosts = { body: PackedPosts };

export type AnalysedLines = AnalysedPosts & LinesResult;

export type ImportAnalysis = {
  maxConcurrency: number;
  lines(request: LinesRequest): Promise<AnalysedLines>;
  /** `nowMs` caps times that no network has observed. */
  posts(posts: readonly Post[], nowMs: number): Promise<AnalysedPosts>;
  close(): Promise<void>;
};
