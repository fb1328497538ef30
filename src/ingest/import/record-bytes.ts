export type RecordBuffer = {
  append(piece: Buffer): void;
  size(): number;
  take(): { bytes: Buffer; isTooLong: boolean };
};

export const maxRecordBytes = 4_096;

export const recordBytesLimit = (maxBytes: number): number => Math.min(maxRecordBytes, maxBytes);

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
