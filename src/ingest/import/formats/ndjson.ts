import type { Platform, Post } from "../../../posts/post.ts";
import { parseJsonLine } from "../json-line.ts";
import type { Line } from "../lines.ts";
import { RecordError, readImportRecord, toPost } from "../record.ts";
import type { LinesFormat, ReadContext, RecordLimits } from "./format.ts";

export const ndjsonFormat = (platform: Platform): LinesFormat => ({ key: "", lines: { platform } });

type LineOptions = {
  platform: Platform;
  limits: RecordLimits;
  isStart: boolean;
};

/** Null for a blank line. Throws `RecordError`. */
export function readNdjsonLine(
  line: Line,
  { platform, limits, isStart }: LineOptions,
  { nowMs, onIgnored }: ReadContext,
): Post | null {
  if (line.tooLong) throw new RecordError(`longer than ${limits.maxLineBytes} bytes`);
  const bytes = isStart && line.number === 1 ? withoutByteOrderMark(line.bytes) : line.bytes;
  if (isBlank(bytes)) return null;
  const record = readImportRecord(parseJsonLine(bytes, limits.maxDepth), onIgnored);
  return toPost(record, platform, nowMs, onIgnored);
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes.subarray(3) : bytes;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
