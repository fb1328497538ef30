import type { Archive } from "../../archive/archive.ts";
import type { Platform } from "../../posts/post.ts";
import type { ImportFormat } from "./formats/format.ts";
import type { ImportSource } from "./source.ts";

/** How far a file has been imported: what the archive keeps with each batch. */
export type ImportProgress = {
  /** When the file was last changed, Unix milliseconds: another time means another content. */
  modifiedMs: number;
  /** The number of the last record taken. */
  lines: number;
  /** Decompressed bytes up to the end of the last record taken; 0 in formats that are read from the start again. */
  bytes: number;
  rejected: number;
  rejectedBytes: number;
  done: boolean;
};

export const noProgress: ImportProgress = {
  modifiedMs: 0,
  lines: 0,
  bytes: 0,
  rejected: 0,
  rejectedBytes: 0,
  done: false,
};

/** The checkpoint of an import; null for a source that cannot be read again. */
export function progressName(
  platform: Platform,
  { key }: Pick<ImportFormat, "key">,
  { fingerprint }: Pick<ImportSource, "fingerprint">,
): string | null {
  if (fingerprint === null) return null;
  return `import:${platform}:${key === "" ? "" : `${key}:`}${fingerprint}`;
}

/** How far earlier runs came with this file, unless it has changed since. */
export async function readProgress(
  archive: Pick<Archive, "readCheckpoint">,
  name: string,
  source: ImportSource,
): Promise<ImportProgress> {
  const value = await archive.readCheckpoint(name);
  const fresh = { ...noProgress, modifiedMs: source.modifiedMs };
  if (value === null) return fresh;
  const known: Partial<ImportProgress> = JSON.parse(value);
  return known.modifiedMs === source.modifiedMs ? { ...fresh, ...known } : fresh;
}
