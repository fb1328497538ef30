import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EarshotError } from "../lib/errors.ts";
import { diskOf } from "./disk.ts";

/** What a start writes before it serves: logs and their index files, migrations, what an earlier run left to be written down. */
const baseBytes = 1_048_576;
/** The index file of a segment's log, and a page of the log. */
const bytesPerSegment = 65_536;
/** Standard streams, worker threads, control store, catalog and locks of a server without readers, and 32 connections. */
const baseFiles = 96;
const filesPerReader = 8;
/** A reader keeps so many segments open (archive/threads/reader.ts). */
const mostOpenSegments = 64;

/** Bytes and open files that a start needs with so many segments and readers. */
export function startNeeds({ segments, readers }: { segments: number; readers: number }) {
  // Writer and upkeep open segments as readers do; each of them has two files, and all share one.
  const filesPerSegment = 2 * (readers + 2) + 1;
  return {
    bytes: baseBytes + bytesPerSegment * segments,
    files:
      baseFiles + filesPerReader * readers + filesPerSegment * Math.min(segments, mostOpenSegments),
  };
}

/**
 * Refuses a start for which the disk or the limit of open files is too small, rather than have it fail half-way. Errors:
 * `disk_full`, `too_few_open_files`. What the system does not report is taken to be enough.
 */
export async function requireStartNeeds({
  dir,
  readers,
}: {
  dir: string;
  readers: number;
}): Promise<void> {
  const needs = startNeeds({ segments: await countSegments(dir), readers });
  const disk = await diskOf(dir);
  if (disk !== null && disk.freeBytes < needs.bytes) {
    throw new EarshotError(
      "disk_full",
      `the disk of ${dir} is full: ${disk.freeBytes} bytes are free, a start needs ${needs.bytes}`,
      { hint: "free some space there" },
    );
  }
  const files = await openFileLimit();
  if (files !== null && files < needs.files) {
    throw new EarshotError(
      "too_few_open_files",
      `this process may open ${files} files, and with ${readers} readers it needs ${needs.files}`,
      { hint: "raise the limit (ulimit -n, LimitNOFILE), or lower EARSHOT_READERS" },
    );
  }
}

async function countSegments(dir: string): Promise<number> {
  const names = await readdir(join(dir, "archive"), { recursive: true }).catch(() => []);
  return names.filter((name) => /[/\\]\d+\.db$/.test(name)).length;
}

/** Linux alone reports it; Node has raised it as far as the system allows. */
async function openFileLimit(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}
