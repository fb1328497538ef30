import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";

/**
 * Decompresses a zstd file of any number of frames one after another, as `cat a.zst b.zst` or a parallel compressor makes
 * it: Node's own stream ends, without a word, after the first.
 */
export function decompressZstd(source: AsyncIterable<Buffer>): Readable {
  const output = new PassThrough({ highWaterMark: outputBytes });
  const closed = new AbortController();
  let frame: ReturnType<typeof openFrame> | null = null;

  function openFrame() {
    const stream = createZstdDecompress({ chunkSize: outputBytes });
    stream.on("data", (piece: Buffer) => {
      if (output.write(piece)) return;
      stream.pause();
      output.once("drain", () => stream.resume());
    });
    const ended = once(stream, "end", { signal: closed.signal });
    // Whoever waits for it gets the fault.
    ended.catch(() => {});
    return { stream, ended };
  }

  async function decompress(): Promise<void> {
    for await (const piece of source) {
      let rest = piece;
      while (rest.length > 0) {
        frame ??= openFrame();
        const { stream, ended } = frame;
        const before = stream.bytesWritten;
        const input = rest;
        const written = new Promise((resolve) => stream.write(input, resolve));
        await Promise.race([ended, written]);
        rest = rest.subarray(stream.bytesWritten - before);
        if (rest.length === 0) continue;
        // The frame is over and leaves the rest; all of it must have come out before the next.
        await ended;
        frame = null;
      }
    }
    frame?.stream.end();
    await frame?.ended;
  }

  output.once("close", () => {
    closed.abort();
    frame?.stream.destroy();
  });
  decompress().then(
    () => output.end(),
    (fault) => output.destroy(fault),
  );
  return output;
}

const outputBytes = 256 * 1024;
