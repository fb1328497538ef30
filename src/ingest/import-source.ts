import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { EarshotError, messageOf } from "../lib/errors.ts";
import { readZipDirectory, zipMemberPieces } from "./zip.ts";
import { decompressZstd, waitingIn } from "./zstd-frames.ts";

/** What a file may cost, whatever it says of itself. */
export type SourceLimits = {
  /** Decompressed bytes in all. */
  maxBytes: number;
  /** Decompressed bytes for one byte read, beyond the first 100 MiB. */
  maxRatio: number;
};

/** A file, or the standard input, to be read from its start once. */
export type ImportSource = {
  /** For messages. */
  name: string;
  /** Tells a file by its beginning and size; null where it cannot be read again. */
  fingerprint: string | null;
  modifiedMs: number;
  /** Bytes of the file as it lies there; null when not known beforehand. */
  totalBytes: number | null;
  /** Bytes of it that were read. */
  readBytes(): number;
  /** Its decompressed bytes from `offset` on. Throws `import_unreadable`, `import_too_large`; the first for a zip or tar archive. */
  pieces(offset: number): AsyncGenerator<Buffer>;
  /**
   * The files to read: of a zip archive those in it with such a name, in order, else the file itself. The bounds on sizes are
   * those of all together. Throws `import_unreadable`, also when an archive has none.
   */
  files(name: RegExp): Promise<readonly SourceFile[]>;
  /** A small file of this name in the zip archive, or beside the file; null where there is none. Throws `import_unreadable`. */
  companion(name: string): Promise<Buffer | null>;
  close(): Promise<void>;
};

/** Its decompressed bytes; may be read once. */
export type SourceFile = { pieces(): AsyncGenerator<Buffer> };

/** Of a file beside the one imported. */
const companionBytes = 1024 ** 2;
const headBytes = 64 * 1024;
const pieceBytes = 256 * 1024;
const unboundedBytes = 100 * 1024 * 1024;

/** Opens a file for import; `-` reads `standardInput`. Throws `import_unreadable`. */
export async function openImportSource(
  file: string,
  standardInput: Readable,
  limits: SourceLimits,
): Promise<ImportSource> {
  if (file === "-") return streamSource("standard input", standardInput, limits);
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, "r");
    const status = await handle.stat();
    if (status.isDirectory()) throw new Error("it is a folder");
    if (!status.isFile()) {
      return streamSource(
        file,
        createReadStream("", { fd: handle, highWaterMark: pieceBytes }),
        limits,
      );
    }
    return await fileSource(file, handle, status.size, status.mtimeMs, limits);
  } catch (fault) {
    await handle?.close().catch(() => {});
    throw unreadable(file, fault);
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
  const format = formatOf(start);
  const hash = createHash("sha256").update(start).digest("hex");
  const counter = { bytes: 0 };

  async function* pieces(offset: number): AsyncGenerator<Buffer> {
    const skipped = format === "plain" ? Math.min(offset, totalBytes) : 0;
    counter.bytes = skipped;
    const raw = createReadStream("", {
      fd: handle,
      start: skipped,
      autoClose: false,
      highWaterMark: pieceBytes,
    });
    yield* decompressed(name, counted(raw, counter), format, { skipped, offset }, counter, limits);
  }

  async function files(wanted: RegExp): Promise<readonly SourceFile[]> {
    if (format !== "zip") return [{ pieces: () => pieces(0) }];
    const found = await members((path) => wanted.test(path));
    if (found.length === 0) throw unreadable(name, new Error(`no file in it matches ${wanted}`));
    let position = 0;
    const onRead = (bytes: number) => {
      counter.bytes += bytes;
    };
    return found.map((member) => ({
      pieces: async function* () {
        try {
          for await (const piece of zipMemberPieces(handle, member, onRead)) {
            position += piece.length;
            checkSize(name, position, counter.bytes, limits);
            yield piece;
          }
        } catch (fault) {
          throw fault instanceof EarshotError ? fault : unreadable(name, fault);
        }
      },
    }));
  }

  const members = (isWanted: (path: string) => boolean) =>
    readZipDirectory(handle, totalBytes, isWanted).catch((fault: unknown) => {
      throw unreadable(name, fault);
    });

  async function companion(wanted: string): Promise<Buffer | null> {
    try {
      if (format !== "zip") return await readSmall(createBesides(name, wanted));
      const [member] = await members((path) => posix.basename(path) === wanted);
      return member === undefined
        ? null
        : await readSmall(zipMemberPieces(handle, member, () => {}));
    } catch (fault) {
      if (isAbsentFile(fault)) return null;
      throw fault instanceof EarshotError ? fault : unreadable(`${wanted} of ${name}`, fault);
    }
  }

  return {
    name,
    fingerprint: `${hash}:${totalBytes}`,
    modifiedMs,
    totalBytes,
    readBytes: () => counter.bytes,
    pieces,
    files,
    companion,
    close: () => handle.close().catch(() => {}),
  };
}

function streamSource(name: string, stream: Readable, limits: SourceLimits): ImportSource {
  const counter = { bytes: 0 };

  async function* pieces(offset: number): AsyncGenerator<Buffer> {
    const raw = counted(stream, counter);
    const head: Buffer[] = [];
    let length = 0;
    while (length < longestMagic) {
      const next = await raw.next();
      if (next.done) break;
      head.push(next.value);
      length += next.value.length;
    }
    const start = Buffer.concat(head);
    const place = { skipped: 0, offset };
    yield* decompressed(name, chained(start, raw), formatOf(start), place, counter, limits);
  }

  return {
    name,
    fingerprint: null,
    modifiedMs: 0,
    totalBytes: null,
    readBytes: () => counter.bytes,
    pieces,
    files: async () => [{ pieces: () => pieces(0) }],
    companion: async () => null,
    close: async () => {
      stream.destroy();
    },
  };
}

const createBesides = (file: string, name: string): AsyncIterable<Buffer> =>
  createReadStream(join(dirname(file), name));

const isAbsentFile = (fault: unknown): boolean =>
  fault instanceof Error && "code" in fault && fault.code === "ENOENT";

async function readSmall(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > companionBytes) throw new Error(`it is larger than ${companionBytes} bytes`);
    read.push(piece);
  }
  return Buffer.concat(read);
}

type Format = "plain" | "gzip" | "zstd" | "zip";

const longestMagic = 4;

/** A file is what its first bytes say, whatever its name ends in. */
function formatOf(start: Buffer): Format {
  if (start[0] === 0x1f && start[1] === 0x8b) return "gzip";
  if (start.length < longestMagic) return "plain";
  const magic = start.readUInt32LE(0);
  if (magic === 0x04034b50 || magic === 0x06054b50) return "zip";
  const isSkippable = magic >= 0x184d2a50 && magic <= 0x184d2a5f;
  return magic === 0xfd2fb528 || isSkippable ? "zstd" : "plain";
}

type Counter = { bytes: number };

async function* counted(stream: Readable, counter: Counter): AsyncGenerator<Buffer> {
  for await (const piece of stream) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : (piece as Buffer);
    counter.bytes += bytes.length;
    yield bytes;
  }
}

async function* chained(start: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  yield* rest;
}

async function* decompressed(
  name: string,
  raw: AsyncIterable<Buffer>,
  format: Format,
  { skipped, offset }: { skipped: number; offset: number },
  counter: Counter,
  limits: SourceLimits,
): AsyncGenerator<Buffer> {
  let position = skipped;
  try {
    if (format === "zip") throw new Error(unpackFirst("zip"));
    for await (const piece of decompressor(format, raw)) {
      const before = position;
      if (before === 0 && isTar(piece)) throw new Error(unpackFirst("tar"));
      position += piece.length;
      checkSize(name, position, counter.bytes, limits);
      if (position <= offset) continue;
      yield before < offset ? piece.subarray(offset - before) : piece;
    }
  } catch (fault) {
    throw fault instanceof EarshotError ? fault : unreadable(name, fault);
  }
}

const unpackFirst = (kind: string): string =>
  `it is a ${kind} archive, which this format cannot read: check --format, or unpack it and import the file in it`;

/** The mark that tar archives have behind the name and the numbers of their first file. */
const isTar = (start: Buffer): boolean => start.toString("latin1", 257, 262) === "ustar";

function decompressor(
  format: Exclude<Format, "zip">,
  raw: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  if (format === "plain") return raw;
  if (format === "zstd") return decompressZstd(raw);
  return gunzipped(raw);
}

async function* gunzipped(raw: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = Readable.from(raw, { objectMode: false, highWaterMark: pieceBytes });
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  pipeline(input, gunzip, () => {});
  try {
    yield* gunzip;
  } catch (fault) {
    yield* waitingIn(gunzip);
    throw fault;
  }
}

function checkSize(name: string, bytes: number, readBytes: number, limits: SourceLimits): void {
  if (bytes > limits.maxBytes) {
    throw tooLarge(
      name,
      `more than ${limits.maxBytes} bytes decompressed`,
      "EARSHOT_IMPORT_MAX_BYTES",
    );
  }
  if (bytes > unboundedBytes && bytes > readBytes * limits.maxRatio) {
    throw tooLarge(
      name,
      `more than ${limits.maxRatio} bytes decompressed for each byte read`,
      "EARSHOT_IMPORT_MAX_RATIO",
    );
  }
}

function tooLarge(name: string, what: string, setting: string): EarshotError {
  return new EarshotError("import_too_large", `${name}: ${what}`, {
    status: 413,
    hint: `when the file is meant to be so, set ${setting} higher and run the import again`,
  });
}

export function unreadable(name: string, fault: unknown): EarshotError {
  return new EarshotError("import_unreadable", `cannot read ${name}: ${messageOf(fault)}`, {
    status: 400,
    hint: "what was read before the fault is kept; run the import again when the file is whole",
    cause: fault,
  });
}
