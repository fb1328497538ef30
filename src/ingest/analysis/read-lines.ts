import { Buffer } from "node:buffer";
import type { Platform, Post } from "../../posts/post.ts";
import type { RecordLimits } from "../import/formats/format.ts";
import { readNdjsonLine } from "../import/formats/ndjson.ts";
import { createLineSplitter } from "../import/lines.ts";
import { RecordFault } from "../import/record.ts";
import { createRecordCounts, type RecordCounts } from "./record-counts.ts";

/** Lines of NDJSON to be read: those of a `LineChunk`. */
export type LinesRequest = {
  bytes: Uint8Array;
  /** Whether they are the first lines of the file, so that a byte order mark may precede them. */
  isStart: boolean;
  platform: Platform;
  limits: RecordLimits;
  nowMs: number;
  onBadLine: "reject" | "stop";
};

/** A record that is not imported. */
export type Rejection = {
  /** From 1, within the chunk. */
  line: number;
  reason: string;
  raw: Uint8Array;
};

export type ReadLines = {
  posts: readonly Post[];
  rejections: readonly Rejection[];
  counts: RecordCounts;
  /** Where a strict import stopped: the lines and bytes before the first bad line, which is the only rejection. */
  stoppedAt: { lines: number; bytes: number } | null;
};

/** Reads the posts of a chunk of lines, in their order. */
export function readLines(request: LinesRequest): ReadLines {
  const { bytes, isStart, platform, limits, nowMs } = request;
  const posts: Post[] = [];
  const rejections: Rejection[] = [];
  const counts = createRecordCounts();
  const context = { nowMs, onIgnored: counts.countIgnored, onLeftOut: counts.countLeftOut };
  const splitter = createLineSplitter(limits.maxLineBytes, { lines: 0, offset: 0 });
  let before = 0;

  function* lines() {
    yield* splitter.feed(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const last = splitter.end();
    if (last !== null) yield last;
  }

  for (const line of lines()) {
    try {
      const post = readNdjsonLine(line, { platform, limits, isStart }, context);
      if (post !== null) posts.push(post);
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error;
      rejections.push({ line: line.number, reason: error.message, raw: line.bytes });
      if (request.onBadLine === "stop") {
        const stoppedAt = { lines: line.number - 1, bytes: before };
        return { posts, rejections, counts: counts.all(), stoppedAt };
      }
    }
    before = line.endOffset;
  }
  return { posts, rejections, counts: counts.all(), stoppedAt: null };
}
