import { statSync } from "node:fs";

/** Includes the write-ahead log. */
export const fileBytes = (path: string): number => sizeOf(path) + walBytes(path);

export const walBytes = (path: string): number => sizeOf(`${path}-wal`);

/** Unix milliseconds; 0 if it does not exist. */
export function lastWrittenMs(path: string): number {
  const files = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }));
  // A reader creates an empty log.
  return Math.max(
    ...files.map((file) => (file === undefined || file.size === 0 ? 0 : file.mtimeMs)),
  );
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
