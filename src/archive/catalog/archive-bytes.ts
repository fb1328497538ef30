import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export function archiveBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + fileSize(join(file.parentPath, file.name)), 0);
}

export const fileSize = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.size ?? 0;
