import type { DatabaseSync } from "node:sqlite";
import type { CatalogAccounts } from "../catalog/accounts.ts";
import { type SegmentEntry, setLastWrittenInCommit } from "../catalog/catalog.ts";
import type { CommitNumber } from "../catalog/commit-number.ts";
import type { CatalogLabels } from "../catalog/labels.ts";
import type { MisplacedPosts } from "../catalog/misplaced.ts";
import type { PendingModeration } from "../catalog/pending-moderation.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import type { Aliases } from "./aliases.ts";
import type { CountChanges } from "./count-changes.ts";
import type { SegmentWriters } from "./segment-writers.ts";

/** Requires the catalog's write lock. */
export type WriteContext = {
  catalog: DatabaseSync;
  writers: SegmentWriters;
  accounts: CatalogAccounts;
  labels: CatalogLabels;
  counts: CountChanges;
  aliases: Aliases;
  misplaced: MisplacedPosts;
  pendingModeration: PendingModeration;
  commit: CommitNumber;
  uriKey: string;
  hashUri(uri: string): bigint;
};

export function inSegment(
  { catalog, commit }: Pick<WriteContext, "catalog" | "commit">,
  writer: SegmentWriter,
  entry: SegmentEntry,
  work: () => void,
): void {
  writer.begin(entry.rewriting, commit.current());
  try {
    work();
    writer.commit();
  } catch (error) {
    writer.rollback();
    throw error;
  }
  setLastWrittenInCommit(catalog, entry, commit.current());
}
