import type { Platform } from "../../posts/post.ts";
import { readImportRecord, toPost } from "../import-record.ts";
import type { ImportSource } from "../import-source.ts";
import { parseJsonLine } from "../json-line.ts";
import { createLineSplitter, type Line } from "../lines.ts";
import {
  type FileRecord,
  type ImportFormat,
  type ReadOptions,
  type RecordLimits,
  refusedRecord,
} from "./format.ts";

/** The import's own form (docs/import.md): one JSON object a line. Continues at the line where an earlier run ended. */
export function ndjsonFormat(platform: Platform): ImportFormat {
  async function* records(source: ImportSource, { from, limits }: ReadOptions) {
    const splitter = createLineSplitter(limits.maxLineBytes, {
      lines: from.lines,
      offset: from.bytes,
    });
    const recordsOf = (lines: Iterable<Line>) => mapped(lines, platform, limits);
    for await (const piece of source.pieces(from.bytes)) yield recordsOf(splitter.feed(piece));
    const last = splitter.end();
    if (last !== null) yield recordsOf([last]);
  }

  return { key: "", records };
}

function* mapped(
  lines: Iterable<Line>,
  platform: Platform,
  limits: RecordLimits,
): Generator<FileRecord> {
  for (const line of lines) yield recordOf(line, platform, limits);
}

function recordOf(line: Line, platform: Platform, limits: RecordLimits): FileRecord {
  if (line.tooLong) return refusedRecord(line, `longer than ${limits.maxLineBytes} bytes`);
  const bytes = line.number === 1 ? withoutByteOrderMark(line.bytes) : line.bytes;
  return {
    number: line.number,
    endOffset: line.endOffset,
    size: bytes.length,
    raw: () => line.bytes,
    head: null,
    read: ({ nowMs, onIgnored }) => {
      if (isBlank(bytes)) return null;
      const record = readImportRecord(parseJsonLine(bytes, limits.maxDepth), onIgnored);
      return toPost(record, platform, nowMs, onIgnored);
    },
  };
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes.subarray(3) : bytes;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
