import type { DatabaseSync } from "node:sqlite";
import type { Accounts } from "./accounts.ts";
import type { Aliases } from "./aliases.ts";
import { type SegmentEntry, setWrittenIn } from "./catalog.ts";
import type { CommitNumber } from "./commit-number.ts";
import type { CountChanges } from "./count-changes.ts";
import type { Labels } from "./labels.ts";
import type { SegmentWriters } from "./segment-writers.ts";
import type { SegmentWriter } from "./segments/segment-writer.ts";
import type { Strayed } from "./strayed.ts";
import type { Unjudged } from "./unjudged.ts";

/** What writing shares: the catalog, open under its write lock, and what is kept in it. */
export type WriteContext = {
  catalog: DatabaseSync;
  writers: SegmentWriters;
  accounts: Accounts;
  labels: Labels;
  counts: CountChanges;
  aliases: Aliases;
  strayed: Strayed;
  unjudged: Unjudged;
  commit: CommitNumber;
  uriKey: string;
  hashOf(uri: string): bigint;
};

/** One transaction of a segment: all that `work` does, or nothing. */
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
  setWrittenIn(catalog, entry, commit.current());
}
