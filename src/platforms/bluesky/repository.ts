import { hash } from "node:crypto";
import { fromStream } from "@atcute/car";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { startSlices } from "../../lib/slices.ts";
import { isObject } from "../fields.ts";
import { isDid, isTid } from "./at-uri.ts";
import { decodeBlock } from "./block.ts";
import { hashKey, linkedHash, type TreeEntry, walkTree } from "./repository-tree.ts";

export type Repository = {
  did: string;
  /** Increases with every change. */
  rev: string;
  entries: readonly TreeEntry[];
  readRecord(entry: TreeEntry): unknown;
  bytes: number;
};

export type RepositoryRequest = {
  /** Null accepts any account. */
  did: string | null;
  clock: Pick<Clock, "elapsed">;
  collections: readonly string[];
  onProgress?: (bytesRead: number) => void;
};

/**
 * Reads a CAR archive with blocks in any order. Verifies the hashes, but not the commit's
 * signature, because the host has the key. Errors: `repository_unreadable` if the archive is
 * truncated, incomplete or of another account.
 */
export async function readRepository(
  pieces: AsyncIterable<Uint8Array>,
  { did, clock, collections, onProgress }: RepositoryRequest,
): Promise<Repository> {
  let bytes = 0;
  const sourceErrors: unknown[] = [];
  const blocks = new Map<string, Uint8Array>();
  const yieldIfDue = startSlices(clock);

  async function* countBytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of pieces) {
        bytes += piece.byteLength;
        onProgress?.(bytes);
        yield piece;
      }
    } catch (reason) {
      sourceErrors.push(reason);
      throw reason;
    }
  }

  async function readBlocks(): Promise<string> {
    const archive = fromStream(ReadableStream.from(countBytes()));
    try {
      const root = linkedHash((await archive.roots())[0]);
      if (root === null) throw new Error("it has no root");
      for await (const { cid, bytes: content } of archive) {
        if (isExpected(content, collections)) {
          blocks.set(hashKey(cid.digest.contents), Uint8Array.from(content));
        }
        await yieldIfDue();
      }
      return root;
    } finally {
      await archive.dispose().catch(() => {});
    }
  }

  async function readEntries(root: string): Promise<TreeEntry[]> {
    const entries: TreeEntry[] = [];
    for (const entry of walkTree(root, find)) {
      if (collections.includes(entry.path.slice(0, entry.path.indexOf("/")))) entries.push(entry);
      await yieldIfDue();
    }
    return entries;
  }

  function find(key: string): Uint8Array | null {
    const content = blocks.get(key);
    if (content === undefined) return null;
    return hashKey(hash("sha256", content, "buffer")) === key ? content : null;
  }

  try {
    const root = await readBlocks();
    const { did: owner, rev, data } = readCommit(find(root), did);
    const entries = await readEntries(data);
    return {
      did: owner,
      rev,
      bytes,
      entries,
      readRecord: (entry) => decodeContent(find(entry.hash)),
    };
  } catch (error) {
    throw sourceErrors.length > 0 ? sourceErrors[0] : unreadableError(did, error);
  }
}

function isExpected(content: Uint8Array, collections: readonly string[]): boolean {
  try {
    const value: unknown = decodeBlock(content);
    if (!isObject(value)) return false;
    return typeof value.$type !== "string" || collections.includes(value.$type);
  } catch {
    return false;
  }
}

type RepositoryCommit = { did: string; rev: string; data: string };

function readCommit(content: Uint8Array | null, did: string | null): RepositoryCommit {
  const commit: unknown = content === null ? null : decodeBlock(content);
  if (!isObject(commit)) throw new Error("its commit is missing");
  if (did !== null && commit.did !== did) throw new Error("it belongs to another account");
  if (typeof commit.did !== "string" || !isDid(commit.did)) throw new Error("it has no account");
  const data = linkedHash(commit.data);
  if (typeof commit.rev !== "string" || !isTid(commit.rev) || data === null) {
    throw new Error("its commit has no revision or no tree");
  }
  return { did: commit.did, rev: commit.rev, data };
}

function decodeContent(content: Uint8Array | null): unknown {
  try {
    return content === null ? undefined : decodeBlock(content);
  } catch {
    return undefined;
  }
}

function unreadableError(did: string | null, error: unknown): EarshotError {
  return new EarshotError(
    "repository_unreadable",
    `the repository${did === null ? "" : ` of ${did}`} is invalid: ${errorMessage(error)}`,
    { status: 502, cause: error },
  );
}
