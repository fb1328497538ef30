import { statSync } from "node:fs";

/** What a segment takes on disk, bytes, with its write-ahead log. */
export const fileBytes = (path: string): number => sizeOf(path) + walBytes(path);

export const walBytes = (path: string): number => sizeOf(`${path}-wal`);

/** When a database was last written to, Unix milliseconds; 0 where there is none. */
export function lastWrittenMs(path: string): number {
  const times = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
