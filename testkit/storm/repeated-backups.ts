import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "../service/server-process.ts";

export type RepeatedBackups = {
  /** The last two backups, which are kept. */
  readonly backupFolders: () => readonly string[];
  run(isOver: () => boolean): Promise<void>;
};

const maxBackups = 2;

export function prepareRepeatedBackups(
  folder: string,
  environment: NodeJS.ProcessEnv,
): RepeatedBackups {
  let folders: string[] = [];

  async function run(isOver: () => boolean): Promise<void> {
    for (let number = 0; !isOver(); number += 1) {
      const destination = join(folder, `backup-${number}`);
      const child = spawn(process.execPath, [program, "archive", "backup", destination], {
        env: environment,
        stdio: "ignore",
      });
      const [code] = (await once(child, "exit")) as [number | null];
      if (code === 0) folders.push(destination);
      else rmSync(destination, { recursive: true, force: true });
      for (const oldFolder of folders.slice(0, -maxBackups))
        rmSync(oldFolder, { recursive: true, force: true });
      folders = folders.slice(-maxBackups);
      await sleep(500);
    }
  }

  return { backupFolders: () => folders, run };
}
