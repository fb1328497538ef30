import { execFileSync } from "node:child_process";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type SlowDisk = {
  environment: Record<string, string>;
  calls(): number;
  fill(): void;
  empty(): void;
};

/** Throws if there is no C compiler. */
export function makeSlowDisk(folder: string, fsyncMs: number): SlowDisk {
  const library = join(folder, "slow-disk.so");
  const source = join(import.meta.dirname, "slow-disk.c");
  const compiler = process.env.CC ?? "cc";
  execFileSync(compiler, ["-shared", "-fPIC", "-O2", "-Wall", "-o", library, source, "-ldl"]);
  const callsFile = join(folder, "slow-disk.calls");
  const fullFile = join(folder, "slow-disk.full");
  return {
    environment: {
      LD_PRELOAD: library,
      SLOW_DISK_MS: String(fsyncMs),
      SLOW_DISK_CALLS: callsFile,
      SLOW_DISK_FULL: fullFile,
    },
    calls: () => (existsSync(callsFile) ? statSync(callsFile).size : 0),
    fill: () => writeFileSync(fullFile, ""),
    empty: () => rmSync(fullFile, { force: true }),
  };
}
