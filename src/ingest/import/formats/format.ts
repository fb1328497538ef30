/**
 * Only NDJSON imports resume at a byte offset. Other formats are read from the start, because
 * decompression cannot start in the middle, and skipping records is fast.
 */

import type { Clock } from "../../../lib/clock.ts";
import type { Platform, Post } from "../../../posts/post.ts";
import { RecordError } from "../record.ts";
import type { ImportSource } from "../source.ts";

export type ReadContext = {
  nowMs: number;
  onIgnored(field: string): void;
  onSkipped(reason: string): void;
};

export type FileRecord = {
  number: number;
  endOffset: number;
  size: number;
  raw(): Buffer;
  head: Buffer | null;
  /** Null if there is no post to import. Throws `RecordError`. */
  read(context: ReadContext): Post | null;
};

type RecordPosition = { lines: number; bytes: number };

export type RecordLimits = {
  maxLineBytes: number;
  maxDepth: number;
};

export type ReadOptions = {
  from: RecordPosition;
  limits: RecordLimits;
  clock: Pick<Clock, "elapsed">;
};

export type ImportFormat = LinesFormat | RecordsFormat;

type NamedFormat = {
  /** Identifies format and options; another key makes another import. Empty for NDJSON. */
  key: string;
};

/** A format whose lines are parsed on other threads (`analysis/`). */
export type LinesFormat = NamedFormat & { lines: { platform: Platform } };

export type RecordsFormat = NamedFormat & {
  /** Yields the records in each piece of the file. Throws what the source throws. */
  records(source: ImportSource, options: ReadOptions): AsyncGenerator<Iterable<FileRecord>>;
};

export const refusedRecord = (
  { number, endOffset = 0, bytes }: { number: number; endOffset?: number; bytes: Buffer },
  reason: string,
): FileRecord => ({
  number,
  endOffset,
  size: bytes.length,
  raw: () => bytes,
  head: null,
  read: () => {
    throw new RecordError(reason);
  },
});
