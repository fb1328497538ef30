import { readFileSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Commits in the write-ahead log (sqlite.org/walformat.html). */
export function readCommits(databasePath: string): number {
  const log = readLog(`${databasePath}-wal`);
  if (log.length < headerBytes) return 0;
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}

function readLog(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
