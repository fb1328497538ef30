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
      const { bytes: whole, isTooLong } = buffer.take();
      const bytes = !isTooLong && whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
      return { bytes, isTooLong: isTooLong || bytes.length > maxBytes };
    },
  };
}

const carriageReturn = 13;
