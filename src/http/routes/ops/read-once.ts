import { readFile } from "node:fs/promises";

/** All answers share the bytes; a failed read is retried. */
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
