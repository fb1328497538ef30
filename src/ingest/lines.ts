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

/** How much of a line that is too long is kept. */
export const keptBytesOfLongLine = 4_096;

/**
 * Cuts bytes into lines at LF or CRLF. Holds at most one line of `maxLineBytes`, however long the line is. `lines` and
 * `offset` tell how much of the file was cut before.
 */
export function createLineSplitter(
  maxLineBytes: number,
  { lines, offset }: { lines: number; offset: number },
): LineSplitter {
  const keptBytes = Math.min(keptBytesOfLongLine, maxLineBytes);
  let number = lines;
  let position = offset;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let tooLong = false;

  function hold(piece: Buffer): void {
    position += piece.length;
    heldBytes += piece.length;
    if (tooLong) return;
    held.push(piece);
    if (heldBytes <= maxLineBytes + 1) return;
    tooLong = true;
    held = [Buffer.from(Buffer.concat(held).subarray(0, keptBytes))];
  }

  function take(): Line {
    const first = held[0] ?? Buffer.alloc(0);
    const whole = held.length > 1 ? Buffer.concat(held) : first;
    const bytes = !tooLong && whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    number += 1;
    // One byte more is held than a line may have: it may be the carriage return of the line's end.
    const isLong = tooLong || bytes.length > maxLineBytes;
    held = [];
    heldBytes = 0;
    tooLong = false;
    return {
      bytes: isLong ? bytes.subarray(0, keptBytes) : bytes,
      number,
      endOffset: position,
      tooLong: isLong,
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

  return { feed, end: () => (heldBytes > 0 ? take() : null) };
}

const lineFeed = 10;
const carriageReturn = 13;
