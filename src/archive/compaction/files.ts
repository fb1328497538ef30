import { statSync } from "node:fs";

/** What a segment takes on disk, bytes, with its write-ahead log. */
export const fileBytes = (path: string): number => sizeOf(path) + walBytes(path);

export const walBytes = (path: string): number => sizeOf(`${path}-wal`);

/** When a database was last written to, Unix milliseconds; 0 where there is none. */
export function lastWrittenMs(path: string): number {
  const files = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }));
  // Who only reads makes an empty log.
  return Math.max(
    ...files.map((file) => (file === undefined || file.size === 0 ? 0 : file.mtimeMs)),
  );
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
