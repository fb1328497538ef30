import { statfs } from "node:fs/promises";

/** The disk that a folder lies on: bytes that an ordinary user may still take, and all; null where it cannot be asked. */
export async function diskOf(
  folder: string,
): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
