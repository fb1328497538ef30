import { hasArchive, restore } from "../archive/maintenance/restore.ts";
import { bytesText, numberText } from "./quantities.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Restores a backup into a data folder without an archive. A folder that has one stays as it is, and the backup is not read:
 * the same command starts a node the first time and later. Errors: those of `restore`.
 */
export async function seedArchive(
  dataDir: string,
  backup: string,
  { out, stopping }: Pick<Terminal, "out" | "stopping">,
): Promise<void> {
  if (await hasArchive(dataDir)) return;
  const { files, posts, takenAt } = await restore({
    source: backup,
    dataDir,
    onProgress: () => undefined,
    signal: stopping,
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  out(
    `archive restored from ${backup}: ${numberText(posts)} posts of ${takenAt}, ${bytesText(bytes)}\n`,
  );
}
