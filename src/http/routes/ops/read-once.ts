import { readFile } from "node:fs/promises";

/** Caches a file, whose bytes all answers share; a failed read is retried. */
export function readOnce(file: URL): () => Promise<Buffer> {
  let bytes: Promise<Buffer> | null = null;
  return () => {
    bytes ??= readFile(file).catch((fault: unknown) => {
      bytes = null;
      throw fault;
    });
    return bytes;
  };
}
