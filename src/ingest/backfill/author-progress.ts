import type { Archive } from "../../archive/archive.ts";
import { fieldsOf } from "../../platforms/fields.ts";

/** How far the backfill of one author came, as the archive keeps it. */
export type AuthorProgress = {
  /** The revision and the time of the last one that came to its end. */
  done: { rev: string | null; atMs: number } | null;
  /** A listing that is under way: where its next page begins, and what its first one began with. */
  listing: { cursor: string; rev: string; startedMs: number } | null;
};

export const authorCheckpoint = (did: string): string => `backfill:bluesky:${did}`;

export async function readAuthorProgress(
  archive: Pick<Archive, "readCheckpoint">,
  did: string,
): Promise<AuthorProgress> {
  const value = await archive.readCheckpoint(authorCheckpoint(did));
  const { done, listing } = fieldsOf(value === null ? null : JSON.parse(value));
  return { done: readDone(done), listing: readListing(listing) };
}

function readDone(value: unknown): AuthorProgress["done"] {
  const { rev, atMs } = fieldsOf(value);
  if (typeof atMs !== "number") return null;
  return { rev: typeof rev === "string" ? rev : null, atMs };
}

function readListing(value: unknown): AuthorProgress["listing"] {
  const { cursor, rev, startedMs } = fieldsOf(value);
  const isWhole =
    typeof cursor === "string" && typeof rev === "string" && typeof startedMs === "number";
  return isWhole ? { cursor, rev, startedMs } : null;
}
