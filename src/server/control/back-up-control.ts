import { existsSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { syncToDisk } from "../../archive/maintenance/durable-files.ts";
import { folderError } from "../../db/folder-errors.ts";
import { EarshotError } from "../../lib/errors.ts";
import { checksumPath, writeChecksum } from "./control-checksum.ts";

/**
 * Works while other processes write; returns the size in bytes. The file appears complete, verified
 * and synced, or not at all; its checksum is written last. Errors: `no_control_store`,
 * `backup_exists`, `no_folder`, `backup_damaged`, `disk_full`, `not_writable`.
 */
export async function backUpControl(source: string, file: string): Promise<number> {
  if (!existsSync(source)) {
    throw new EarshotError("no_control_store", `${source} does not exist`, {
      hint: "create it with earshot serve or earshot keys create, or set EARSHOT_DATA_DIR",
    });
  }
  const existingPath = [file, checksumPath(file)].find((path) => existsSync(path));
  if (existingPath !== undefined) {
    throw new EarshotError("backup_exists", `${existingPath} already exists`, {
      hint: "use a new file for each backup",
    });
  }
  const folder = dirname(file);
  // A missing folder may be on an unmounted disk, so it is not created.
  if (!existsSync(folder)) {
    throw new EarshotError("no_folder", `the folder ${folder} does not exist`, {
      hint: "create it, or mount its disk",
    });
  }
  const unfinishedPath = `${file}.unfinished`;
  try {
    await rm(unfinishedPath, { force: true });
    await (await open(unfinishedPath, "wx", 0o600)).close();
    await copyDatabase(source, unfinishedPath);
    requireIntact(unfinishedPath);
    await syncToDisk(unfinishedPath);
    await rename(unfinishedPath, file);
    await writeChecksum(file);
    return (await stat(file)).size;
  } catch (error) {
    await rm(unfinishedPath, { force: true });
    throw folderError(error, folder);
  }
}

const allPages = 1_000_000_000;

/** Copies in one step, because a write between two steps would restart the backup. */
async function copyDatabase(sourcePath: string, targetPath: string): Promise<void> {
  const database = new DatabaseSync(sourcePath, { readOnly: true, timeout: 5_000 });
  try {
    await backup(database, targetPath, { rate: allPages });
  } finally {
    database.close();
  }
}

function requireIntact(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec("PRAGMA journal_mode = DELETE");
    const verdict = copy.prepare("PRAGMA quick_check(1)").get()?.quick_check;
    if (verdict === "ok") return;
    throw new EarshotError("backup_damaged", `control.db is damaged: ${String(verdict)}`, {
      hint: "restore an earlier backup of it",
    });
  } finally {
    copy.close();
  }
}
