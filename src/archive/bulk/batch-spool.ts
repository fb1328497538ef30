import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import type { ImportBatch } from "../archive.ts";

export type BatchSpool = {
  add(batch: ImportBatch): void;
  batches(): Generator<ImportBatch>;
  close(): void;
};

/** Unlinks the file immediately, so that a crash leaves nothing behind. */
export function createBatchSpool(path: string): BatchSpool {
  const file = openSync(path, "wx+", 0o600);
  rmSync(path);
  const batches: {
    postBytes: number | null;
    checkpoints: ImportBatch["checkpoints"];
    coverage: ImportBatch["coverage"];
  }[] = [];

  return {
    add: ({ posts, checkpoints, coverage }) => {
      if (posts !== null) writeAll(file, posts);
      batches.push({ postBytes: posts?.byteLength ?? null, checkpoints, coverage });
    },
    *batches() {
      let offset = 0;
      for (const { postBytes, checkpoints, coverage } of batches) {
        const posts = postBytes === null ? null : readAt(file, offset, postBytes);
        offset += postBytes ?? 0;
        yield { posts, checkpoints, coverage };
      }
    },
    close: () => closeSync(file),
  };
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
}

function readAt(file: number, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length; ) {
    const bytesRead = readSync(file, bytes, offset, length - offset, from + offset);
    if (bytesRead === 0)
      throw new Error(`the import spool ends after ${fstatSync(file).size} bytes`);
    offset += bytesRead;
  }
  return bytes;
}
