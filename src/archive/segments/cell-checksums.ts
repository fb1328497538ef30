import { crc32 } from "node:zlib";
import type { CellChecksums } from "./changeset.ts";

export const cellChecksums = (table: string): CellChecksums => ({
  of(values) {
    const key = values.reduce((checksum, value) => crc32(value, checksum), crc32(table));
    return { key, cell: (column, value) => crc32(value, crc32(Uint8Array.of(column), key)) };
  },
});
