import { Buffer } from "node:buffer";

export type TextArena = {
  add(text: string): void;
  end(): { offsets: Uint32Array; bytes: Uint8Array };
};

const initialBytes = 1024 ** 2;
const initialTexts = 1_024;

export function createTextArena(): TextArena {
  let offsets = new Uint32Array(initialTexts);
  let bytes = Buffer.allocUnsafeSlow(initialBytes);
  let length = 0;
  let count = 0;

  return {
    add(text) {
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      const maxLength = length + text.length * 3;
      if (maxLength > bytes.length) {
        const grownBytes = Buffer.allocUnsafeSlow(Math.max(maxLength, bytes.length * 2));
        bytes.copy(grownBytes, 0, 0, length);
        bytes = grownBytes;
      }
      if (text !== "") length += bytes.write(text, length);
      count += 1;
      if (count === offsets.length) {
        const grownOffsets = new Uint32Array(count * 2);
        grownOffsets.set(offsets);
        offsets = grownOffsets;
      }
      offsets[count] = length;
    },
    end: () => ({ offsets: offsets.subarray(0, count + 1), bytes: bytes.subarray(0, length) }),
  };
}

export function readText(bytes: Buffer, offsets: Uint32Array, number: number): string {
  const [start, end] = [offsets[number] as number, offsets[number + 1] as number];
  return start === end ? "" : bytes.toString("utf8", start, end);
}
