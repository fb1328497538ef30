import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";

/** An entry of the central directory, not yet verified. */
export type ZipMember = {
  name: string;
  method: number;
  isEncrypted: boolean;
  checksum: number;
  compressedBytes: number;
  bytes: number;
  headerOffset: number;
};

const maxDirectoryBytes = 256 * 1024 ** 2;
const maxMembers = 10_000;
const maxNameBytes = 4_096;

const endSize = 22;
const maxCommentBytes = 65_535;
const locatorSize = 20;
const end64Size = 56;
const entrySize = 46;
const headerSize = 30;

/** Reads the central directory (APPNOTE 4.3), including zip64, but no multi-part archives. */
export async function readZipDirectory(
  handle: FileHandle,
  totalBytes: number,
  isExpected: (name: string) => boolean,
): Promise<ZipMember[]> {
  const { offset, bytes } = await findDirectory(handle, totalBytes);
  if (offset + bytes > totalBytes) throw new Error("its zip directory is damaged");
  if (bytes > maxDirectoryBytes) throw new Error("its zip directory is too large");
  const directory = await readAt(handle, offset, bytes);
  const members: ZipMember[] = [];
  for (let index = 0; index < directory.length; ) {
    if (index + entrySize > directory.length || directory.readUInt32LE(index) !== 0x02014b50) {
      throw new Error("its zip directory is damaged");
    }
    const nameEnd = index + entrySize + directory.readUInt16LE(index + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(index + 30);
    const nextIndex = extraEnd + directory.readUInt16LE(index + 32);
    if (nextIndex > directory.length) throw new Error("its zip directory is damaged");
    const name = directory.toString(
      "utf8",
      index + entrySize,
      Math.min(nameEnd, index + maxNameBytes),
    );
    if (isExpected(name)) {
      const entry = directory.subarray(index, nameEnd);
      members.push(makeMember(name, entry, directory.subarray(nameEnd, extraEnd)));
    }
    if (members.length > maxMembers) throw new Error("it contains too many matching files");
    index = nextIndex;
  }
  return members;
}

/** Throws if the member is damaged or unsupported. */
export async function* zipMemberPieces(
  handle: FileHandle,
  member: ZipMember,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const { name, method, compressedBytes } = member;
  if (member.isEncrypted) throw new Error(`${name} in the archive is encrypted`);
  if (method !== 0 && method !== 8)
    throw new Error(`${name} in the archive has the unsupported compression method ${method}`);
  const header = await readAt(handle, member.headerOffset, headerSize);
  if (header.readUInt32LE(0) !== 0x04034b50)
    throw new Error(`${name} in the archive is not at its declared offset`);
  const start =
    member.headerOffset + headerSize + header.readUInt16LE(26) + header.readUInt16LE(28);
  let checksum = 0;
  let bytes = 0;
  for await (const piece of contentPieces()) {
    checksum = crc32(piece, checksum);
    bytes += piece.length;
    if (bytes > member.bytes) break;
    yield piece;
  }
  if (bytes !== member.bytes || checksum !== member.checksum)
    throw new Error(`${name} in the archive is damaged`);

  async function* contentPieces(): AsyncGenerator<Buffer> {
    if (compressedBytes === 0) return;
    if (method === 0) {
      yield* storedPieces();
      return;
    }
    const inflate = createInflateRaw({ chunkSize: pieceBytes });
    pipeline(Readable.from(storedPieces(), { objectMode: false }), inflate, () => {});
    yield* inflate;
  }

  async function* storedPieces(): AsyncGenerator<Buffer> {
    const end = start + compressedBytes - 1;
    const options = { fd: handle, start, end, autoClose: false, highWaterMark: pieceBytes };
    for await (const piece of createReadStream("", options)) {
      onRead(piece.length);
      yield piece;
    }
  }
}

const pieceBytes = 256 * 1024;

async function findDirectory(
  handle: FileHandle,
  totalBytes: number,
): Promise<{ offset: number; bytes: number }> {
  const tailBytes = Math.min(totalBytes, endSize + maxCommentBytes + locatorSize);
  const tail = await readAt(handle, totalBytes - tailBytes, tailBytes);
  const endRecordOffset = findEnd(tail);
  if (endRecordOffset < 0) throw new Error("it is a truncated zip archive");
  const locator = endRecordOffset - locatorSize;
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) {
    return {
      offset: tail.readUInt32LE(endRecordOffset + 16),
      bytes: tail.readUInt32LE(endRecordOffset + 12),
    };
  }
  const end64 = await readAt(handle, numberAt(tail, locator + 8), end64Size);
  if (end64.readUInt32LE(0) !== 0x06064b50) throw new Error("its zip directory is damaged");
  return { offset: numberAt(end64, 48), bytes: numberAt(end64, 40) };
}

function findEnd(tail: Buffer): number {
  for (let offset = tail.length - endSize; offset >= 0; offset -= 1) {
    const isEnd = tail[offset] === 0x50 && tail.readUInt32LE(offset) === 0x06054b50;
    if (isEnd && offset + endSize + tail.readUInt16LE(offset + 20) === tail.length) return offset;
  }
  return -1;
}

function makeMember(name: string, entry: Buffer, extra: Buffer): ZipMember {
  const zip64Values = largeValues(extra);
  /** A value of all ones refers to the extra field, whose values are in the order of the calls. */
  const value = (offset: number): number => {
    const number = entry.readUInt32LE(offset);
    return number === 0xffffffff ? (zip64Values.shift() ?? number) : number;
  };
  const bytes = value(24);
  const compressedBytes = value(20);
  const headerOffset = value(42);
  return {
    name,
    method: entry.readUInt16LE(10),
    isEncrypted: (entry.readUInt16LE(8) & 1) === 1,
    checksum: entry.readUInt32LE(16),
    compressedBytes,
    bytes,
    headerOffset,
  };
}

function largeValues(extra: Buffer): number[] {
  for (let offset = 0; offset + 4 <= extra.length; ) {
    const end = offset + 4 + extra.readUInt16LE(offset + 2);
    if (extra.readUInt16LE(offset) === 1 && end <= extra.length) {
      const values: number[] = [];
      for (let position = offset + 4; position + 8 <= end; position += 8)
        values.push(numberAt(extra, position));
      return values;
    }
    offset = end;
  }
  return [];
}

function numberAt(bytes: Buffer, offset: number): number {
  const number = Number(bytes.readBigUInt64LE(offset));
  if (!Number.isSafeInteger(number)) throw new Error("its zip directory is damaged");
  return number;
}

async function readAt(handle: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, offset);
  if (bytesRead < bytes) throw new Error("it is a truncated zip archive");
  return buffer;
}
