import { Buffer } from "node:buffer";
import { stripControls } from "../../lib/controls.ts";
import type { Platform, Post } from "../../posts/post.ts";
import type { RecordLimits } from "../import/formats/format.ts";
import { createLineSplitter, type Line, readNdjsonLine } from "../import/lines.ts";
import { RecordError } from "../import/record.ts";

export type LinesRequest = {
  bytes: Uint8Array;
  isStart: boolean;
  platform: Platform;
  limits: RecordLimits;
  nowMs: number;
  onBadLine: "reject" | "stop";
};

export type Rejection = {
  line: number;
  reason: string;
  raw: Uint8Array;
};

export type LinesResult = {
  posts: number;
  rejections: readonly Rejection[];
  counts: RecordCounts;
  /** The lines and bytes before the bad line at which reading stopped. */
  stoppedAt: { lines: number; bytes: number } | null;
};

/** `result()` is complete once `posts` is exhausted. */
export function readLines(request: LinesRequest): {
  posts: Generator<Post>;
  result(): LinesResult;
} {
  const { bytes, platform, limits, nowMs } = request;
  const rejections: Rejection[] = [];
  const counts = createRecordCounts();
  const context = { nowMs, onIgnored: counts.countIgnored, onSkipped: counts.countSkipped };
  const options = { platform, limits, isStart: request.isStart };
  let posts = 0;
  let stoppedAt: LinesResult["stoppedAt"] = null;

  function* lines() {
    const splitter = createLineSplitter(limits.maxLineBytes, { lines: 0, offset: 0 });
    yield* splitter.feed(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const last = splitter.end();
    if (last !== null) yield last;
  }

  function readLine(line: Line): Post | null {
    try {
      return readNdjsonLine(line, options, context);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      rejections.push({ line: line.number, reason: error.message, raw: line.bytes });
      return null;
    }
  }

  function* readPosts(): Generator<Post> {
    let previousEnd = 0;
    for (const line of lines()) {
      const post = readLine(line);
      if (rejections.length > 0 && request.onBadLine === "stop") {
        stoppedAt = { lines: line.number - 1, bytes: previousEnd };
        return;
      }
      previousEnd = line.endOffset;
      if (post === null) continue;
      posts += 1;
      yield post;
    }
  }

  return {
    posts: readPosts(),
    result: () => ({ posts, rejections, counts: counts.snapshot(), stoppedAt }),
  };
}

export type RecordCounts = {
  ignoredFields: ReadonlyMap<string, number>;
  skipped: ReadonlyMap<string, number>;
};

const maxIgnoredNames = 1_000;
const otherNames = "(others)";

/** Names beyond the first 1,000 share one count. */
export function createRecordCounts() {
  const ignoredFields = new Map<string, number>();
  const skipped = new Map<string, number>();

  function countName(name: string, times: number): void {
    const isKnown = ignoredFields.size < maxIgnoredNames || ignoredFields.has(name);
    add(ignoredFields, isKnown ? name : otherNames, times);
  }

  return {
    countIgnored: (field: string): void => countName(stripControls(field.slice(0, 100)), 1),
    countSkipped: (reason: string): void => add(skipped, reason, 1),
    merge: (counts: RecordCounts): void => {
      for (const [name, times] of counts.ignoredFields) countName(name, times);
      for (const [reason, times] of counts.skipped) add(skipped, reason, times);
    },
    snapshot: (): RecordCounts => ({ ignoredFields, skipped }),
  };
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
