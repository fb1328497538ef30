import { createRecordLine, recordBytesLimit } from "./record-bytes.ts";

/** A line without its end. Of one that is longer than allowed only the beginning is kept. */
export type Line = {
  bytes: Buffer;
  /** Counts from 1. */
  number: number;
  /** Where the next line begins, in bytes from the start of the file. */
  endOffset: number;
  tooLong: boolean;
};

export type LineSplitter = {
  /** The lines that end within this piece of the file. */
  feed(piece: Buffer): Generator<Line>;
  /** The last line, when it has no end of its own. */
  end(): Line | null;
};

/**
 * Cuts bytes into lines at LF or CRLF. Holds at most one line of `maxLineBytes`, however long the line is. `lines` and
 * `offset` tell how much of the file was cut before.
 */
export function createLineSplitter(
  maxLineBytes: number,
  { lines, offset }: { lines: number; offset: number },
): LineSplitter {
  const line = createRecordLine(maxLineBytes);
  let number = lines;
  let position = offset;

  function hold(piece: Buffer): void {
    position += piece.length;
    line.hold(piece);
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
      hold(piece.subarray(start, end));
      position += 1;
      yield take();
      start = end + 1;
    }
    if (start < piece.length) hold(piece.subarray(start));
  }

  return { feed, end: () => (line.size() > 0 ? take() : null) };
}

const lineFeed = 10;
