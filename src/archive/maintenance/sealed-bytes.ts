export class MalformedDataError extends Error {}

/** Errors: `MalformedDataError`. */
export type BoundedReader = {
  varint(): number;
  bytes(length: number): Uint8Array;
  isAtEnd(): boolean;
};

export function byteReader(bytes: Uint8Array): BoundedReader {
  let offset = 0;
  return {
    varint: () => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[offset];
        if (byte === undefined) throw new MalformedDataError("it ends within a number");
        offset += 1;
        value += (byte & 127) * factor;
        if (!Number.isSafeInteger(value))
          throw new MalformedDataError("it has a number that is too large");
        if (byte < 128) return value;
      }
    },
    bytes: (length) => {
      if (offset + length > bytes.length) throw new MalformedDataError("it ends within a term");
      offset += length;
      return bytes.subarray(offset - length, offset);
    },
    isAtEnd: () => offset === bytes.length,
  };
}

/** Copies the bytes unless 32-bit numbers can be read in place. */
export const alignedTo32Bits = (bytes: Uint8Array): Uint8Array =>
  bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
