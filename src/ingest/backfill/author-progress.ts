import type { Archive } from "../../archive/archive.ts";
import { asFields } from "../../platforms/fields.ts";

export type AuthorProgress = {
  done: { rev: string | null; atMs: number } | null;
  listing: { cursor: string; rev: string; startedMs: number } | null;
};

export const authorCheckpoint = (did: string): string => `backfill:bluesky:${did}`;

export async function readAuthorProgress(
  archive: Pick<Archive, "readCheckpoint">,
  did: string,
): Promise<AuthorProgress> {
  const value = await archive.readCheckpoint(authorCheckpoint(did));
  const { done, listing } = asFields(value === null ? null : JSON.parse(value));
  return { done: readDone(done), listing: readListing(listing) };
}

function readDone(value: unknown): AuthorProgress["done"] {
  const { rev, atMs } = asFields(value);
  if (typeof atMs !== "number") return null;
  return { rev: typeof rev === "string" ? rev : null, atMs };
}

function readListing(value: unknown): AuthorProgress["listing"] {
  const { cursor, rev, startedMs } = asFields(value);
  const isComplete =
    typeof cursor === "string" && typeof rev === "string" && typeof startedMs === "number";
  return isComplete ? { cursor, rev, startedMs } : null;
}
