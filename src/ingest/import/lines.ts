import { isUtf8 } from "node:buffer";
import { maxUncheckedBytes, shapeRefusal } from "../../lib/bounded-json.ts";
import { errorMessage } from "../../lib/errors.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import type { Platform, Post } from "../../posts/post.ts";
import type { LinesFormat, ReadContext, RecordLimits } from "./formats/format.ts";
import { RecordError, readImportRecord, toPost } from "./record.ts";

export type Line = {
  bytes: Buffer;
  number: number;
  endOffset: number;
  isTooLong: boolean;
};

export type LineSplitter = {
  feed(piece: Buffer): Generator<Line>;
  end(): Line | null;
};

/**
 * Splits at LF or CRLF, with at most `maxLineBytes` in memory. Resumes from `lines` and `offset`.
 */
export function createLineSplitter(
  maxLineBytes: number,
  { lines, offset }: { lines: number; offset: number },
): LineSplitter {
  const line = createRecordLine(maxLineBytes);
  let number = lines;
  let position = offset;

  function append(piece: Buffer): void {
    position += piece.length;
    line.append(piece);
  }

  function take(): Line {
    const { bytes, isTooLong } = line.take();
    number += 1;
    return {
      bytes: isTooLong ? bytes.subarray(0, recordBytesLimit(maxLineBytes)) : bytes,
      number,
      endOffset: position,
      isTooLong,
    };
  }

  function* feed(piece: Buffer): Generator<Line> {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(lineFeed, start);
      if (end === -1) break;
      append(piece.subarray(start, end));
      position += 1;
      yield take();
      start = end + 1;
    }
    if (start < piece.length) append(piece.subarray(start));
  }

  return { feed, end: () => (line.size() > 0 ? take() : null) };
}

const lineFeed = 10;

export type RecordBuffer = {
  append(piece: Buffer): void;
  size(): number;
  take(): { bytes: Buffer; isTooLong: boolean };
};

export const maxRecordBytes = 4_096;

const recordBytesLimit = (maxBytes: number): number => Math.min(maxRecordBytes, maxBytes);

export function createRecordBuffer(maxBytes: number, endBytes: 0 | 1): RecordBuffer {
  let pieces: Buffer[] = [];
  let size = 0;
  let isTooLong = false;

  return {
    append: (piece) => {
      size += piece.length;
      if (isTooLong) return;
      pieces.push(piece);
      if (size <= maxBytes + endBytes) return;
      isTooLong = true;
      pieces = [Buffer.from(Buffer.concat(pieces).subarray(0, recordBytesLimit(maxBytes)))];
    },
    size: () => size,
    take: () => {
      const [first] = pieces;
      const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
      const record = { bytes, isTooLong };
      pieces = [];
      size = 0;
      isTooLong = false;
      return record;
    },
  };
}

export function createRecordLine(maxBytes: number): RecordBuffer {
  const buffer = createRecordBuffer(maxBytes, 1);
  return {
    ...buffer,
    take: () => {
      const { bytes: untrimmedBytes, isTooLong } = buffer.take();
      const bytes =
        !isTooLong && untrimmedBytes.at(-1) === carriageReturn
          ? untrimmedBytes.subarray(0, -1)
          : untrimmedBytes;
      return { bytes, isTooLong: isTooLong || bytes.length > maxBytes };
    },
  };
}

const carriageReturn = 13;

/** Throws `RecordError`, also beyond `maxDepth` or the parser's limits. */
export function parseJsonLine(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw new RecordError("not valid UTF-8");
  if (bytes.length > maxUncheckedBytes || !hasFewOpenings(bytes, maxDepth))
    requireShape(bytes, maxDepth);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new RecordError(`not valid JSON: ${errorMessage(error)}`);
  }
}

function requireShape(bytes: Buffer, maxDepth: number): void {
  const shape = createJsonMeter()(bytes);
  if (shape.deepest > maxDepth) throw new RecordError(`nested deeper than ${maxDepth} levels`);
  const refusal = shapeRefusal(shape);
  if (refusal !== null) throw new RecordError(`too complex: ${refusal}`);
}

const openings = ["{", "["].map((character) => character.charCodeAt(0));

function hasFewOpenings(bytes: Buffer, max: number): boolean {
  let openingCount = 0;
  for (const opening of openings) {
    for (
      let index = bytes.indexOf(opening);
      index !== -1;
      index = bytes.indexOf(opening, index + 1)
    ) {
      openingCount += 1;
      if (openingCount > max) return false;
    }
  }
  return true;
}

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
  if (line.isTooLong) throw new RecordError(`longer than ${limits.maxLineBytes} bytes`);
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
