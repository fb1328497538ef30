export type RecordBuffer = {
  append(piece: Buffer): void;
  size(): number;
  take(): { bytes: Buffer; isTooLong: boolean };
};

export const maxRecordBytes = 4_096;

export const recordBytesLimit = (maxBytes: number): number => Math.min(maxRecordBytes, maxBytes);

export function createRecordBuffer(maxBytes: number, endBytes: 0 | 1): RecordBuffer {
  let stored: Buffer[] = [];
  let size = 0;
  let isTooLong = false;

  return {
    append: (piece) => {
      size += piece.length;
      if (isTooLong) return;
      stored.push(piece);
      if (size <= maxBytes + endBytes) return;
      isTooLong = true;
      stored = [Buffer.from(Buffer.concat(stored).subarray(0, recordBytesLimit(maxBytes)))];
    },
    size: () => size,
    take: () => {
      const [first] = stored;
      const bytes = stored.length === 1 && first !== undefined ? first : Buffer.concat(stored);
      const used = { bytes, isTooLong };
      stored = [];
      size = 0;
      isTooLong = false;
      return used;
    },
  };
}

export function createRecordLine(maxBytes: number): RecordBuffer {
  const stored = createRecordBuffer(maxBytes, 1);
  return {
    ...stored,
    take: () => {
      const { bytes: whole, isTooLong } = stored.take();
      const bytes = !isTooLong && whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
      return { bytes, isTooLong: isTooLong || bytes.length > maxBytes };
    },
  };
}

const carriageReturn = 13;
