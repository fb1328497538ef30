import type { Archive } from "../../archive/archive.ts";
import type { Platform } from "../../posts/post.ts";
import type { ImportFormat } from "./formats/format.ts";
import type { ImportSource } from "./source.ts";

export type ImportProgress = {
  modifiedMs: number;
  lines: number;
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

export function progressName(
  platform: Platform,
  { key }: Pick<ImportFormat, "key">,
  { fingerprint }: Pick<ImportSource, "fingerprint">,
): string | null {
  if (fingerprint === null) return null;
  return `import:${platform}:${key === "" ? "" : `${key}:`}${fingerprint}`;
}

export async function readProgress(
  archive: Pick<Archive, "readCheckpoint">,
  name: string,
  source: ImportSource,
): Promise<ImportProgress> {
  const value = await archive.readCheckpoint(name);
  const freshProgress = { ...noProgress, modifiedMs: source.modifiedMs };
  if (value === null) return freshProgress;
  const savedProgress: Partial<ImportProgress> = JSON.parse(value);
  return savedProgress.modifiedMs === source.modifiedMs
    ? { ...freshProgress, ...savedProgress }
    : freshProgress;
}
