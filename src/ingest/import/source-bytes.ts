import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { bufferedPieces, decompressZstd } from "./zstd-frames.ts";

/** Limits on the actual bytes, regardless of declared sizes. */
export type SourceLimits = {
  maxBytes: number;
  /** Maximum decompressed bytes per byte read, checked after 100 MiB. */
  maxRatio: number;
};

export const pieceBytes = 256 * 1024;
const minRatioCheckBytes = 100 * 1024 * 1024;

type FileForm = "plain" | "gzip" | "zstd" | "zip";

export const maxMagicBytes = 4;

/** Detects the format by magic number, not file name. */
export function fileFormat(start: Buffer): FileForm {
  if (start[0] === 0x1f && start[1] === 0x8b) return "gzip";
  if (start.length < maxMagicBytes) return "plain";
  const magic = start.readUInt32LE(0);
  if (magic === 0x04034b50 || magic === 0x06054b50) return "zip";
  const isSkippable = magic >= 0x184d2a50 && magic <= 0x184d2a5f;
  return magic === 0xfd2fb528 || isSkippable ? "zstd" : "plain";
}

export type Counter = { bytes: number };

export async function* countBytes(stream: Readable, counter: Counter): AsyncGenerator<Buffer> {
  for await (const piece of stream) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : (piece as Buffer);
    counter.bytes += bytes.length;
    yield bytes;
  }
}

export async function* prepend(
  start: Buffer,
  remainder: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  yield* remainder;
}

/** Errors: `import_unreadable`, `import_too_large`. */
export async function* decompress(
  name: string,
  rawPieces: AsyncIterable<Buffer>,
  format: FileForm,
  { skippedBytes, offset }: { skippedBytes: number; offset: number },
  counter: Counter,
  limits: SourceLimits,
): AsyncGenerator<Buffer> {
  let position = skippedBytes;
  try {
    if (format === "zip") throw new Error(unpackFirst("zip"));
    for await (const piece of decompressor(format, rawPieces)) {
      const startPosition = position;
      if (startPosition === 0 && isTar(piece)) throw new Error(unpackFirst("tar"));
      position += piece.length;
      checkSize(name, position, counter.bytes, limits);
      if (position <= offset) continue;
      yield startPosition < offset ? piece.subarray(offset - startPosition) : piece;
    }
  } catch (error) {
    throw error instanceof EarshotError ? error : unreadableImport(name, error);
  }
}

const unpackFirst = (kind: string): string =>
  `it is a ${kind} archive, which this format cannot read: check --format, or unpack it and import the file in it`;

const isTar = (start: Buffer): boolean => start.toString("latin1", 257, 262) === "ustar";

function decompressor(
  format: Exclude<FileForm, "zip">,
  rawPieces: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  if (format === "plain") return rawPieces;
  if (format === "zstd") return decompressZstd(rawPieces);
  return decompressGzip(rawPieces);
}

async function* decompressGzip(rawPieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = Readable.from(rawPieces, { objectMode: false, highWaterMark: pieceBytes });
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  pipeline(input, gunzip, () => {});
  try {
    yield* gunzip;
  } catch (error) {
    yield* bufferedPieces(gunzip);
    throw error;
  }
}

export function checkSize(
  name: string,
  bytes: number,
  bytesRead: number,
  limits: SourceLimits,
): void {
  if (bytes > limits.maxBytes) {
    throw tooLarge(
      name,
      `more than ${limits.maxBytes} bytes decompressed`,
      "EARSHOT_IMPORT_MAX_BYTES",
    );
  }
  if (bytes > minRatioCheckBytes && bytes > bytesRead * limits.maxRatio) {
    throw tooLarge(
      name,
      `more than ${limits.maxRatio} bytes decompressed for each byte read`,
      "EARSHOT_IMPORT_MAX_RATIO",
    );
  }
}

function tooLarge(name: string, problem: string, setting: string): EarshotError {
  return new EarshotError("import_too_large", `${name}: ${problem}`, {
    status: 413,
    hint: `if you trust the file, raise ${setting} and run the import again`,
  });
}

export function unreadableImport(name: string, error: unknown): EarshotError {
  return new EarshotError("import_unreadable", `cannot read ${name}: ${errorMessage(error)}`, {
    status: 400,
    hint: "import the complete file again; posts before the error are imported",
    cause: error,
  });
}
