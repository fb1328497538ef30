import { readFile } from "node:fs/promises";

/** Reads a file once and keeps its text; a reading that failed is tried again by the next call. */
export function readOnce(file: URL): () => Promise<string> {
  let text: Promise<string> | null = null;
  return () => {
    text ??= readFile(file, "utf8").catch((fault: unknown) => {
      text = null;
      throw fault;
    });
    return text;
  };
}
