import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EarshotError } from "../lib/errors.ts";
import { readDiskSpace } from "./watches/disk.ts";

/** For WAL and shared-memory files, migrations, and results of interrupted jobs. */
const baseBytes = 1_048_576;
/** For a shared-memory file and one WAL page. */
const bytesPerSegment = 65_536;
/** Files other than the readers': streams, threads, control store, catalog, locks and 32 connections. */
const baseFiles = 96;
const filesPerReader = 8;
/** See archive/threads/open-segments.ts. */
const maxOpenSegments = 64;

export function requiredAtStart({ segments, readers }: { segments: number; readers: number }) {
  // The control thread has a reader, too.
  const openReaders = readers + 1;
  // The writer and compaction also open segments. Each opens two files per segment, and all share one more.
  const filesPerSegment = 2 * (openReaders + 2) + 1;
  return {
    bytes: baseBytes + bytesPerSegment * segments,
    files:
      baseFiles +
      filesPerReader * openReaders +
      filesPerSegment * Math.min(segments, maxOpenSegments),
  };
}

/** Unknown values count as sufficient. Errors: `disk_full`, `too_few_open_files`. */
export async function requireStartResources({
  dir,
  readers,
}: {
  dir: string;
  readers: number;
}): Promise<void> {
  const requirements = requiredAtStart({ segments: await countSegments(dir), readers });
  const disk = await readDiskSpace(dir);
  if (disk !== null && disk.freeBytes < requirements.bytes) {
    throw new EarshotError(
      "disk_full",
      `the disk containing ${dir} is full: ${disk.freeBytes} bytes are free, but starting requires ${requirements.bytes}`,
      { hint: "free some space there" },
    );
  }
  const fileLimit = await openFileLimit();
  if (fileLimit !== null && fileLimit < requirements.files) {
    throw new EarshotError(
      "too_few_open_files",
      `this process can open ${fileLimit} files, but requires ${requirements.files} with ${readers} readers`,
      { hint: "raise the limit (ulimit -n, LimitNOFILE), or lower EARSHOT_READERS" },
    );
  }
}

async function countSegments(dir: string): Promise<number> {
  const names = await readdir(join(dir, "archive"), { recursive: true }).catch(() => []);
  return names.filter((name) => /[/\\]\d+\.db$/.test(name)).length;
}

/** Linux only. Node raises the soft limit. */
async function openFileLimit(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const softLimit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return softLimit === undefined ? null : Number(softLimit);
}
