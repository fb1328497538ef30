import { crc32 } from "node:zlib";
import type { CellSums } from "./changeset.ts";

export const cellSums = (table: string): CellSums => ({
  of(values) {
    const key = values.reduce((sum, value) => crc32(value, sum), crc32(table));
    return { key, cell: (column, value) => crc32(value, crc32(Uint8Array.of(column), key)) };
  },
});
