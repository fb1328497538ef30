import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

/** A disk on which every fsync takes long: what a process must be started with, and how many it has waited for. */
export type SlowDisk = { environment: Record<string, string>; calls(): number };

/** Compiles slow-disk.c into `folder`; throws without a C compiler. */
export function makeSlowDisk(folder: string, fsyncMs: number): SlowDisk {
  const library = join(folder, "slow-disk.so");
  const source = join(import.meta.dirname, "slow-disk.c");
  const compiler = process.env.CC ?? "cc";
  execFileSync(compiler, ["-shared", "-fPIC", "-O2", "-Wall", "-o", library, source, "-ldl"]);
  const told = join(folder, "slow-disk.calls");
  return {
    environment: {
      LD_PRELOAD: library,
      SLOW_DISK_MS: String(fsyncMs),
      SLOW_DISK_CALLS: told,
    },
    calls: () => (existsSync(told) ? statSync(told).size : 0),
  };
}
