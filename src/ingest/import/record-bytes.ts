/** The bytes of one record while it is cut from the pieces of a file. Of one that is too long only the beginning is held. */
export type RecordBytes = {
  hold(piece: Buffer): void;
  /** Bytes of the record so far, also those that are not held. */
  size(): number;
  /** The record, and the start of the next one. */
  take(): { bytes: Buffer; isTooLong: boolean };
};

/** How much of a record that is too long is held. */
export const maxRecordBytes = 4_096;

export const recordBytesLimit = (maxBytes: number): number => Math.min(maxRecordBytes, maxBytes);

/** Holds records of `maxBytes`, and `endBytes` more of their end. */
export function createRecordBytes(maxBytes: number, endBytes: 0 | 1): RecordBytes {
  let held: Buffer[] = [];
  let size = 0;
  let isTooLong = false;

  return {
    hold: (piece) => {
      size += piece.length;
      if (isTooLong) return;
      held.push(piece);
      if (size <= maxBytes + endBytes) return;
      isTooLong = true;
      held = [Buffer.from(Buffer.concat(held).subarray(0, recordBytesLimit(maxBytes)))];
    },
    size: () => size,
    take: () => {
      const [first] = held;
      const bytes = held.length === 1 && first !== undefined ? first : Buffer.concat(held);
      const taken = { bytes, isTooLong };
      held = [];
      size = 0;
      isTooLong = false;
      return taken;
    },
  };
}

/** The same for lines, which end in LF or CRLF: the one byte more that is held may be the carriage return of the end. */
export function createRecordLine(maxBytes: number): RecordBytes {
  const held = createRecordBytes(maxBytes, 1);
  return {
    ...held,
    take: () => {
      const { bytes: whole, isTooLong } = held.take();
      const bytes = !isTooLong && whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
      return { bytes, isTooLong: isTooLong || bytes.length > maxBytes };
    },
  };
}

const carriageReturn = 13;
