import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type SmallDisk = {
  folder: string;
  fill(): void;
  free(): void;
  makeReadOnly(): void;
  remove(): void;
};

/** Returns null if mounting is not permitted. */
export function mountSmallDisk(mebibytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "earshot-disk-"));
  const options = `size=${mebibytes}m`;
  const mountResult = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  if (mountResult.status !== 0) {
    rmdirSync(folder);
    process.stderr.write(
      `NOT TESTED: cannot mount a disk here: ${mountResult.stderr?.toString().trim()}\n`,
    );
    return null;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => fillUp(filler),
    free: () => rmSync(filler),
    makeReadOnly: () => execFileSync("mount", ["-o", "remount,ro", folder]),
    remove: () => {
      execFileSync("umount", ["-l", folder]);
      rmdirSync(folder);
    },
  };
}

function fillUp(path: string): void {
  const file = openSync(path, "a");
  const page = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeSync(file, page);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(file);
  }
}
