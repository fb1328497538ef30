import { crc32, deflateRawSync } from "node:zlib";

export type ZipFile = {
  name: string;
  content: Uint8Array;
  isStored?: boolean;
  /** ZIP64, as in archives over 4 GiB. */
  isLarge?: boolean;
  flags?: number;
  checksum?: number;
};

/** Written from the ZIP specification (APPNOTE). */
export function zipArchive(files: readonly ZipFile[], comment = ""): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const { header, entry } = zipMember(file, offset);
    parts.push(header);
    entries.push(entry);
    offset += header.length;
  }
  const directory = Buffer.concat(entries);
  const isLarge = files.some((file) => file.isLarge === true);
  const end64 = Buffer.alloc(isLarge ? 56 + 20 : 0);
  if (isLarge) {
    end64.writeUInt32LE(0x06064b50, 0);
    end64.writeBigUInt64LE(BigInt(files.length), 32);
    end64.writeBigUInt64LE(BigInt(directory.length), 40);
    end64.writeBigUInt64LE(BigInt(offset), 48);
    end64.writeUInt32LE(0x07064b50, 56);
    end64.writeBigUInt64LE(BigInt(offset + directory.length), 56 + 8);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(isLarge ? 0xffffffff : directory.length, 12);
  end.writeUInt32LE(isLarge ? 0xffffffff : offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...parts, directory, end64, end, Buffer.from(comment)]);
}

function zipMember(file: ZipFile, offset: number): { header: Buffer; entry: Buffer } {
  const { content, isStored = false, isLarge = false, flags = 0 } = file;
  const name = Buffer.from(file.name);
  const data = isStored ? Buffer.from(content) : deflateRawSync(content);
  const checksum = file.checksum ?? crc32(content);
  const method = isStored ? 0 : 8;
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(checksum, 14);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(name.length, 26);
  const extra = Buffer.alloc(isLarge ? 4 + 24 : 0);
  if (isLarge) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    extra.writeBigUInt64LE(BigInt(content.length), 4);
    extra.writeBigUInt64LE(BigInt(data.length), 12);
    extra.writeBigUInt64LE(BigInt(offset), 20);
  }
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(checksum, 16);
  entry.writeUInt32LE(isLarge ? 0xffffffff : data.length, 20);
  entry.writeUInt32LE(isLarge ? 0xffffffff : content.length, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(isLarge ? 0xffffffff : offset, 42);
  return {
    header: Buffer.concat([header, name, data]),
    entry: Buffer.concat([entry, name, extra]),
  };
}
