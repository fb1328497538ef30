/**
 * A format turns a file into records; the import does everything else, alike for all formats. Only NDJSON resumes at a byte
 * offset: deflate streams cannot be entered in the middle, and skipping records is as fast as reading them. Forms that
 * Earshot also reads from the network use the same reader.
 */

import type { Clock } from "../../../lib/clock.ts";
import type { Platform, Post } from "../../../posts/post.ts";
import { RecordError } from "../record.ts";
import type { ImportSource } from "../source.ts";

/** What reading a record reports beside its post. */
export type ReadContext = {
  /** When the import runs, Unix milliseconds. */
  nowMs: number;
  /** A field, by name, that the import form has no use for. */
  onIgnored(field: string): void;
  /** A record that is valid and is not imported, by the reason. */
  onLeftOut(reason: string): void;
};

/** One record of a file. */
export type FileRecord = {
  /** Its line, or which record of the file it is; rises from one record to the next, from 1. */
  number: number;
  /** Decompressed bytes of the file up to its end; 0 in formats that are read from the start again. */
  endOffset: number;
  /** Bytes that it takes in memory. */
  size: number;
  /** What is written to the rejected file, without a line end. */
  raw(): Buffer;
  /** What the rejected file needs as its first line; null for nothing. */
  head: Buffer | null;
  /** Its post; null when it has none to import. Throws `RecordFault`. */
  read(context: ReadContext): Post | null;
};

/** How far an earlier run came: formats that cannot start there read again, and the caller skips what it has. */
type RecordPosition = { lines: number; bytes: number };

export type RecordLimits = {
  /** One record of the file. */
  maxLineBytes: number;
  /** How deep JSON may be nested. */
  maxDepth: number;
};

export type ReadOptions = {
  from: RecordPosition;
  limits: RecordLimits;
  clock: Pick<Clock, "elapsed">;
};

/** A form of file that can be imported. */
export type ImportFormat = LinesFormat | RecordsFormat;

type NamedFormat = {
  /** Names the format and its options: the same file read in another way is another import. Empty for NDJSON. */
  key: string;
};

/** A record a line, which is read on other threads (`analysis/`). */
export type LinesFormat = NamedFormat & { lines: { platform: Platform } };

/** Any other form. */
export type RecordsFormat = NamedFormat & {
  /** Its records, those of one piece of the file at a time. Throws what the source throws. */
  records(source: ImportSource, options: ReadOptions): AsyncGenerator<Iterable<FileRecord>>;
};

/** A record that is not read, with the beginning of it that was kept. */
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
