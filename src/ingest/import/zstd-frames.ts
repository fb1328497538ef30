import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";

/**
 * Decompresses any number of frames, such as from `cat a.zst b.zst`; Node's own stream silently
 * ends after the first. Yields everything before an error, then throws it.
 */
export async function* decompressZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const output = new PassThrough({ highWaterMark: outputBytes });
  const closeController = new AbortController();
  let frame: ReturnType<typeof openFrame> | null = null;

  function openFrame() {
    const stream = createZstdDecompress({ chunkSize: outputBytes });
    stream.on("data", (piece: Buffer) => {
      if (output.write(piece)) return;
      stream.pause();
      output.once("drain", () => stream.resume());
    });
    const frameEnd = once(stream, "end", { signal: closeController.signal });
    // Avoids an unhandled rejection; awaiting `frameEnd` still throws.
    frameEnd.catch(() => {});
    return { stream, ended: frameEnd };
  }

  async function decompress(): Promise<void> {
    for await (const piece of source) {
      let remainingInput = piece;
      while (remainingInput.length > 0) {
        frame ??= openFrame();
        const { stream, ended } = frame;
        const previousBytesWritten = stream.bytesWritten;
        const input = remainingInput;
        const writePromise = new Promise((resolve) => stream.write(input, resolve));
        await Promise.race([ended, writePromise]);
        remainingInput = remainingInput.subarray(stream.bytesWritten - previousBytesWritten);
        if (remainingInput.length === 0) continue;
        // The output must be complete before that of the next frame.
        await ended;
        frame = null;
      }
    }
    frame?.stream.end();
    await frame?.ended;
  }

  output.once("close", () => {
    closeController.abort();
    frame?.stream.destroy();
  });
  const errors: unknown[] = [];
  decompress()
    .catch((error) => {
      errors.push(error);
      if (frame !== null) for (const piece of bufferedPieces(frame.stream)) output.write(piece);
    })
    .finally(() => output.end());
  yield* output;
  for (const error of errors) throw error;
}

/** Iteration would lose a failed stream's buffered data. */
export function* bufferedPieces(stream: Readable): Generator<Buffer> {
  for (let piece = stream.read(); piece !== null; piece = stream.read()) yield piece;
}

const outputBytes = 256 * 1024;
