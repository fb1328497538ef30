import { readFile } from "node:fs/promises";

/** All answers share the bytes; a failed read is retried. */
export function readOnce(file: URL): () => Promise<Buffer> {
  let bytes: Promise<Buffer> | null = null;
  return () => {
    bytes ??= readFile(file).catch((error: unknown) => {
      bytes = null;
      throw error;
    });
    return bytes;
  };
}
