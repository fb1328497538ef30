import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EarshotError } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";

export type KnownDictionary = { id: number; bytes: number; sha256: string };

export const jetstreamDictionary: KnownDictionary = {
  id: 1_612_007_021,
  bytes: 112_640,
  sha256: "b8d77b46933aceecbdd5275a01241efc985c970c78162b8150cf67a26522f70c",
};

const magic = 0xec30a437;

export type DictionaryRequest = {
  path: string;
  url: string;
  fetch: GuardedFetch;
  known: KnownDictionary;
  timeoutMs: number;
  signal: AbortSignal;
};

/** Fetches it once, verifies its hash and stores it. Errors: `dictionary_unavailable`. */
export async function loadDictionary(request: DictionaryRequest): Promise<Buffer> {
  const { path, url, known } = request;
  const stored = await readFile(path).catch(() => null);
  if (stored !== null && isKnown(stored, known)) return stored;
  const { status, body } = await request.fetch(url, {
    signal: request.signal,
    maxBytes: known.bytes,
    timeoutMs: request.timeoutMs,
  });
  if (status !== 200) throw unavailable(`${new URL(url).host} returned HTTP ${status}`);
  const fetched = Buffer.from(body);
  if (!isKnown(fetched, known)) {
    throw unavailable(`${new URL(url).host} did not send dictionary ${known.id}`);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.part`, fetched, { mode: 0o600 });
  await rename(`${path}.part`, path);
  return fetched;
}

function isKnown(bytes: Buffer, known: KnownDictionary): boolean {
  if (bytes.length !== known.bytes || bytes.readUInt32LE(0) !== magic) return false;
  if (bytes.readUInt32LE(4) !== known.id) return false;
  return createHash("sha256").update(bytes).digest("hex") === known.sha256;
}

const unavailable = (message: string): EarshotError =>
  new EarshotError("dictionary_unavailable", message, { retryable: true });
