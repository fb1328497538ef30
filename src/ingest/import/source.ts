import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type { Readable } from "node:stream";
import { EarshotError } from "../../lib/errors.ts";
import {
  checkSize,
  countBytes,
  decompress,
  fileFormat,
  maxMagicBytes,
  pieceBytes,
  prepend,
  type SourceLimits,
  unreadableImport,
} from "./source-bytes.ts";
import { readZipDirectory, zipMemberPieces } from "./zip.ts";

export type ImportSource = {
  name: string;
  /** Null if the source cannot be read again. */
  fingerprint: string | null;
  modifiedMs: number;
  totalBytes: number | null;
  bytesRead(): number;
  /**
   * Yields decompressed bytes. Errors: `import_unreadable` (also for a zip or tar archive),
   * `import_too_large`.
   */
  pieces(offset: number): AsyncGenerator<Buffer>;
  /**
   * The matching files in a zip archive, in order; for other sources, the file itself. Size limits
   * apply to the total. Errors: `import_unreadable`.
   */
  files(name: RegExp): Promise<readonly SourceFile[]>;
  /** Reads the named file in the zip archive or beside the file. Errors: `import_unreadable`. */
  companion(name: string): Promise<Buffer | null>;
  close(): Promise<void>;
};

export type SourceFile = { pieces(): AsyncGenerator<Buffer> };

const maxCompanionBytes = 1024 ** 2;
const headBytes = 64 * 1024;

/** Errors: `import_unreadable`. */
export async function openImportSource(
  file: string,
  standardInput: Readable,
  limits: SourceLimits,
): Promise<ImportSource> {
  if (file === "-") return streamSource("standard input", standardInput, limits);
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, "r");
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error("it is a folder");
    if (!stats.isFile()) {
      return streamSource(
        file,
        createReadStream("", { fd: handle, highWaterMark: pieceBytes }),
        limits,
      );
    }
    return await fileSource(file, handle, stats.size, stats.mtimeMs, limits);
  } catch (error) {
    await handle?.close().catch(() => {});
    throw unreadableImport(file, error);
  }
}

async function fileSource(
  name: string,
  handle: FileHandle,
  totalBytes: number,
  modifiedMs: number,
  limits: SourceLimits,
): Promise<ImportSource> {
  const head = Buffer.alloc(headBytes);
  const { bytesRead } = await handle.read(head, 0, headBytes, 0);
  const start = head.subarray(0, bytesRead);
  const format = fileFormat(start);
  const hash = createHash("sha256").update(start).digest("hex");
  const counter = { bytes: 0 };

  async function* pieces(offset: number): AsyncGenerator<Buffer> {
    const skippedBytes = format === "plain" ? Math.min(offset, totalBytes) : 0;
    counter.bytes = skippedBytes;
    const raw = createReadStream("", {
      fd: handle,
      start: skippedBytes,
      autoClose: false,
      highWaterMark: pieceBytes,
    });
    yield* decompress(
      name,
      countBytes(raw, counter),
      format,
      { skippedBytes, offset },
      counter,
      limits,
    );
  }

  async function files(pattern: RegExp): Promise<readonly SourceFile[]> {
    if (format !== "zip") return [{ pieces: () => pieces(0) }];
    const matchingMembers = await members((path) => pattern.test(path));
    if (matchingMembers.length === 0)
      throw unreadableImport(name, new Error(`no file in it matches ${pattern}`));
    let position = 0;
    const onRead = (bytes: number) => {
      counter.bytes += bytes;
    };
    return matchingMembers.map((member) => ({
      pieces: async function* () {
        try {
          for await (const piece of zipMemberPieces(handle, member, onRead)) {
            position += piece.length;
            checkSize(name, position, counter.bytes, limits);
            yield piece;
          }
        } catch (error) {
          throw error instanceof EarshotError ? error : unreadableImport(name, error);
        }
      },
    }));
  }

  const members = (isExpected: (path: string) => boolean) =>
    readZipDirectory(handle, totalBytes, isExpected).catch((error: unknown) => {
      throw unreadableImport(name, error);
    });

  async function companion(companionName: string): Promise<Buffer | null> {
    try {
      if (format !== "zip") return await readSmallFile(openBeside(name, companionName));
      const [member] = await members((path) => posix.basename(path) === companionName);
      return member === undefined
        ? null
        : await readSmallFile(zipMemberPieces(handle, member, () => {}));
    } catch (error) {
      if (isAbsentFile(error)) return null;
      throw error instanceof EarshotError
        ? error
        : unreadableImport(`${companionName} of ${name}`, error);
    }
  }

  return {
    name,
    fingerprint: `${hash}:${totalBytes}`,
    modifiedMs,
    totalBytes,
    bytesRead: () => counter.bytes,
    pieces,
    files,
    companion,
    close: () => handle.close().catch(() => {}),
  };
}

function streamSource(name: string, stream: Readable, limits: SourceLimits): ImportSource {
  const counter = { bytes: 0 };

  async function* pieces(offset: number): AsyncGenerator<Buffer> {
    const raw = countBytes(stream, counter);
    const head: Buffer[] = [];
    let length = 0;
    while (length < maxMagicBytes) {
      const next = await raw.next();
      if (next.done) break;
      head.push(next.value);
      length += next.value.length;
    }
    const start = Buffer.concat(head);
    const position = { skippedBytes: 0, offset };
    yield* decompress(name, prepend(start, raw), fileFormat(start), position, counter, limits);
  }

  return {
    name,
    fingerprint: null,
    modifiedMs: 0,
    totalBytes: null,
    bytesRead: () => counter.bytes,
    pieces,
    files: async () => [{ pieces: () => pieces(0) }],
    companion: async () => null,
    close: async () => {
      stream.destroy();
    },
  };
}

const openBeside = (file: string, name: string): AsyncIterable<Buffer> =>
  createReadStream(join(dirname(file), name));

const isAbsentFile = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

async function readSmallFile(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const buffers: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxCompanionBytes) throw new Error(`it is larger than ${maxCompanionBytes} bytes`);
    buffers.push(piece);
  }
  return Buffer.concat(buffers);
}
