import { startSlices } from "../../lib/slices.ts";
import type { Post } from "../../posts/post.ts";
import type { FileRecord, RecordsFormat } from "../import/formats/format.ts";
import { RecordError } from "../import/record.ts";
import {
  type AnalysedBatch,
  type BatchesRequest,
  maxBatchBytes,
  maxBatchRecords,
  type PendingBatch,
} from "./analysed-batch.ts";
import { createRecordCounts, type Rejection } from "./read-lines.ts";

const recordOverheadBytes = 200;

/** Reads on this thread, pausing for the event loop; other threads analyse posts. */
export async function* recordBatches(
  format: RecordsFormat,
  { source, analysis, clock, limits, onBadLine, from }: BatchesRequest,
): AsyncGenerator<PendingBatch> {
  const yieldIfDue = startSlices(clock);
  let batch = startBatch(from);
  try {
    for await (const records of format.records(source, { from, limits, clock })) {
      for (const record of records) {
        if (record.number <= from.lines) continue;
        const reason = readRecord(record, batch, clock.now());
        if (reason !== null) batch.rejections.push(recordRejection(record, reason));
        if (reason !== null && onBadLine === "stop") {
          yield analyse({ ...batch, isStopped: true });
          return;
        }
        batch.end = { lines: record.number, bytes: record.endOffset };
        batch.bytes += record.size + recordOverheadBytes;
        batch.head ??= record.head;
        if (isFull(batch)) {
          yield analyse(batch);
          batch = startBatch(batch.end);
        }
        const pause = yieldIfDue();
        if (pause !== undefined) await pause;
      }
    }
  } catch (error) {
    if (batch.bytes > 0) yield analyse(batch);
    throw error;
  }
  if (batch.bytes > 0) yield analyse(batch);

  function analyse({ posts, counts, bytes: _bytes, ...read }: OpenBatch): PendingBatch {
    const body = posts.length === 0 ? null : analysis.posts(posts, clock.now());
    return { batch: finishBatch(body) };

    async function finishBatch(pendingBody: typeof body): Promise<AnalysedBatch> {
      const body = pendingBody === null ? null : (await pendingBody).body;
      return { ...read, packedPosts: body, posts: posts.length, counts: counts.snapshot() };
    }
  }
}

type OpenBatch = Pick<AnalysedBatch, "head" | "end" | "isStopped"> & {
  posts: Post[];
  rejections: Rejection[];
  counts: ReturnType<typeof createRecordCounts>;
  bytes: number;
};

const startBatch = (end: AnalysedBatch["end"]): OpenBatch => ({
  posts: [],
  rejections: [],
  counts: createRecordCounts(),
  bytes: 0,
  head: null,
  end,
  isStopped: false,
});

const isFull = ({ posts, rejections, bytes }: OpenBatch): boolean =>
  posts.length >= maxBatchRecords || rejections.length >= maxBatchRecords || bytes >= maxBatchBytes;

const recordRejection = (record: FileRecord, reason: string): Rejection => ({
  line: record.number,
  reason,
  raw: record.raw(),
});

function readRecord(
  record: FileRecord,
  { posts, counts }: OpenBatch,
  nowMs: number,
): string | null {
  const context = { nowMs, onIgnored: counts.countIgnored, onSkipped: counts.countSkipped };
  try {
    const post = record.read(context);
    if (post !== null) posts.push(post);
    return null;
  } catch (error) {
    if (error instanceof RecordError) return error.message;
    throw error;
  }
}
