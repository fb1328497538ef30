import { constants, zstdDecompressSync } from "node:zlib";

/** `too-large`: decompresses to more than `maxBytes`. */
export type FrameText = { text: string } | "too-large" | "unreadable";

export type Frame = { data: Buffer; isBinary: boolean };

export type FrameReader = (frame: Frame) => FrameText;

/**
 * Reads text frames and, with a dictionary, binary frames that are separate zstd frames. Never
 * decompresses more than `maxBytes`.
 */
export function createFrameReader(options: {
  dictionary: Buffer | null;
  maxBytes: number;
}): FrameReader {
  const { dictionary, maxBytes } = options;
  // Also bounds the window that a frame requests before any output.
  const windowLog = Math.min(27, Math.max(17, Math.ceil(Math.log2(maxBytes))));
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  return ({ data, isBinary }) => {
    if (!isBinary) return { text: data.toString("utf8") };
    if (dictionary === null) return "unreadable";
    try {
      const decompressedFrame = zstdDecompressSync(data, {
        dictionary,
        params,
        chunkSize: chunkBytes,
        maxOutputLength: maxBytes,
      });
      return { text: decompressedFrame.toString("utf8") };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      return tooLargeCodes.has(code) ? "too-large" : "unreadable";
    }
  };
}

const chunkBytes = 4_096;

const tooLargeCodes: ReadonlySet<unknown> = new Set([
  "ERR_BUFFER_TOO_LARGE",
  "ZSTD_error_frameParameter_windowTooLarge",
]);
