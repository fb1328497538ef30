import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileDigest, writeDurably } from "../../archive/maintenance/durable-files.ts";

/** A file in `sha256sum` format. */
export const checksumPath = (file: string): string => `${file}.sha256`;

const inactiveSignal = new AbortController().signal;
const sha256Of = async (file: string): Promise<string> =>
  (await fileDigest(file, () => {}, inactiveSignal)).sha256;

export async function writeChecksum(file: string): Promise<void> {
  await writeDurably(checksumPath(file), `${await sha256Of(file)}  ${basename(file)}\n`);
}

/** Null if the file matches its checksum. */
export async function checksumProblem(file: string): Promise<string | null> {
  const path = checksumPath(file);
  if (!existsSync(path)) return `${path} is missing, so the backup cannot be verified`;
  const [expected] = (await readFile(path, "utf8")).split(/\s/);
  if (expected === (await sha256Of(file))) return null;
  return `${file} does not match the SHA-256 in ${path}`;
}
