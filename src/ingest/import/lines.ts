import { createRecordLine, recordBytesLimit } from "./record-bytes.ts";

export type Line = {
  bytes: Buffer;
  number: number;
  endOffset: number;
  tooLong: boolean;
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
      tooLong: isTooLong,
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
