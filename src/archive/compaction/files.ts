import { statSync } from "node:fs";
import { fileSize } from "../catalog/archive-files.ts";

export const fileBytes = (path: string): number => fileSize(path) + walBytes(path);

export const walBytes = (path: string): number => fileSize(`${path}-wal`);

/** Unix milliseconds; 0 if the files are missing. */
export function lastWrittenMs(path: string): number {
  const files = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }));
  // Readers create empty logs, which are ignored.
  return Math.max(
    ...files.map((file) => (file === undefined || file.size === 0 ? 0 : file.mtimeMs)),
  );
}
