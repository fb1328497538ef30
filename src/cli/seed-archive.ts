import { hasArchive, restore } from "../archive/maintenance/restore.ts";
import { bytesText, numberText } from "./terminal/quantities.ts";
import type { Terminal } from "./terminal/terminal.ts";

/**
 * Does nothing if there is an archive, so that later starts can use the same command. Errors: those
 * of `restore`.
 */
export async function seedArchive(
  dataDir: string,
  backup: string,
  { out, stopSignal }: Pick<Terminal, "out" | "stopSignal">,
): Promise<void> {
  if (await hasArchive(dataDir)) return;
  const { files, posts, takenAt } = await restore({
    source: backup,
    dataDir,
    onProgress: () => undefined,
    signal: stopSignal,
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  out(
    `archive restored from ${backup}: ${numberText(posts)} posts as of ${takenAt}, ${bytesText(bytes)}\n`,
  );
}
