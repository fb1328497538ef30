import { startSlices } from "../../lib/slices.ts";
import type { Post } from "../../posts/post.ts";
import type { FileRecord, RecordsFormat } from "../import/formats/format.ts";
import { RecordError } from "../import/record.ts";
import {
  type AnalysedChunk,
  type ChunksRequest,
  chunkBytes,
  chunkRecords,
  type PendingChunk,
} from "./analysed-chunk.ts";
import { createRecordCounts, type Rejection } from "./read-lines.ts";

const recordOverheadBytes = 200;

/** Reads on this thread, pausing for the event loop; other threads analyse posts. */
export async function* recordChunks(
  format: RecordsFormat,
  { source, analysis, clock, limits, onBadLine, from }: ChunksRequest,
): AsyncGenerator<PendingChunk> {
  const yieldIfDue = startSlices(clock);
  let chunk = startChunk(from);
  try {
    for await (const records of format.records(source, { from, limits, clock })) {
      for (const record of records) {
        if (record.number <= from.lines) continue;
        const reason = readRecord(record, chunk, clock.now());
        if (reason !== null) chunk.rejections.push(recordRejection(record, reason));
        if (reason !== null && onBadLine === "stop") {
          yield analyse({ ...chunk, isStopped: true });
          return;
        }
        chunk.end = { lines: record.number, bytes: record.endOffset };
        chunk.bytes += record.size + recordOverheadBytes;
        chunk.head ??= record.head;
        if (isFull(chunk)) {
          yield analyse(chunk);
          chunk = startChunk(chunk.end);
        }
        const pause = yieldIfDue();
        if (pause !== undefined) await pause;
      }
    }
  } catch (error) {
    if (chunk.bytes > 0) yield analyse(chunk);
    throw error;
  }
  if (chunk.bytes > 0) yield analyse(chunk);

  function analyse({ posts, counts, bytes: _bytes, ...read }: OpenChunk): PendingChunk {
    const body = posts.length === 0 ? null : analysis.posts(posts, clock.now());
    return { chunk: readChunk(body) };

    async function readChunk(prepared: typeof body): Promise<AnalysedChunk> {
      const body = prepared === null ? null : (await prepared).body;
      return { ...read, prepared: body, posts: posts.length, counts: counts.all() };
    }
  }
}

type OpenChunk = Pick<AnalysedChunk, "head" | "end" | "isStopped"> & {
  posts: Post[];
  rejections: Rejection[];
  counts: ReturnType<typeof createRecordCounts>;
  bytes: number;
};

const startChunk = (end: AnalysedChunk["end"]): OpenChunk => ({
  posts: [],
  rejections: [],
  counts: createRecordCounts(),
  bytes: 0,
  head: null,
  end,
  isStopped: false,
});

const isFull = ({ posts, rejections, bytes }: OpenChunk): boolean =>
  posts.length >= chunkRecords || rejections.length >= chunkRecords || bytes >= chunkBytes;

const recordRejection = (record: FileRecord, reason: string): Rejection => ({
  line: record.number,
  reason,
  raw: record.raw(),
});

function readRecord(
  record: FileRecord,
  { posts, counts }: OpenChunk,
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
