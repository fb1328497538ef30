import { statfs } from "node:fs/promises";

/** `freeBytes`: available to unprivileged users. Null if the disk cannot be queried. */
export async function readDiskSpace(
  folder: string,
): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
