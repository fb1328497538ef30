import { readFile } from "node:fs/promises";

/**
 * Reads a file once and keeps its bytes, which all answers share however slowly they are read; a reading that failed is tried
 * again by the next call.
 */
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
