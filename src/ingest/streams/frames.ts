import { constants, zstdDecompressSync } from "node:zlib";

/** A frame as text; `too-large` when it would take more than the bound, `unreadable` when it is neither. */
export type FrameText = { text: string } | "too-large" | "unreadable";

/** One frame as it came from a WebSocket. */
export type Frame = { data: Buffer; isBinary: boolean };

export type FrameReader = (frame: Frame) => FrameText;

/**
 * Reads text frames and, where there is a dictionary, binary ones: each is a zstd frame of its own. However much one claims
 * or turns out to hold, no more than `maxBytes` of it come out.
 */
export function createFrameReader(options: {
  dictionary: Buffer | null;
  maxBytes: number;
}): FrameReader {
  const { dictionary, maxBytes } = options;
  // A frame also says how much room it wants before anything of it comes out.
  const windowLog = Math.min(27, Math.max(17, Math.ceil(Math.log2(maxBytes))));
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  return ({ data, isBinary }) => {
    if (!isBinary) return { text: data.toString("utf8") };
    if (dictionary === null) return "unreadable";
    try {
      const plain = zstdDecompressSync(data, {
        dictionary,
        params,
        chunkSize: usualBytes,
        maxOutputLength: maxBytes,
      });
      return { text: plain.toString("utf8") };
    } catch (fault) {
      const code = fault instanceof Error && "code" in fault ? fault.code : null;
      return tooLargeCodes.has(code) ? "too-large" : "unreadable";
    }
  };
}

/** Room that is made for a frame at first: most events take less. */
const usualBytes = 4_096;

const tooLargeCodes: ReadonlySet<unknown> = new Set([
  "ERR_BUFFER_TOO_LARGE",
  "ZSTD_error_frameParameter_windowTooLarge",
]);
