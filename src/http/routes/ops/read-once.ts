import { readFile } from "node:fs/promises";

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
