import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

export type Digest = { bytes: number; sha256: string };

export async function fileDigest(
  path: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Digest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of readPieces(path)) {
    signal.throwIfAborted();
    hash.update(piece);
    bytes += piece.length;
    onBytes(piece.length);
  }
  return { bytes, sha256: hash.digest("hex") };
}

export async function makeFolder(path: string): Promise<void> {
  // Node's `recursive` never returns below /proc, and hides that a disk is read-only.
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (existsSync(path)) return;
    if (existsSync(dirname(path)) || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

export async function copyFile(
  from: string,
  to: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Digest> {
  await makeFolder(dirname(to));
  const target = await open(to, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of readPieces(from)) {
      signal.throwIfAborted();
      hash.update(piece);
      bytes += piece.length;
      for (let offset = 0; offset < piece.length; ) {
        offset += (await target.write(piece, offset)).bytesWritten;
      }
      onBytes(piece.length);
    }
    await target.sync();
    return { bytes, sha256: hash.digest("hex") };
  } finally {
    await target.close();
  }
}

const pieceBytes = 1 << 20;

const readPieces = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: pieceBytes });

/** Replaces the file atomically. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncToDisk(dirname(path));
}

export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
