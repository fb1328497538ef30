import type { FoundAccount } from "../../platforms/bluesky/find-account.ts";
import type { AuthorProgress } from "./author-progress.ts";
import type { BackfillRequest } from "./backfill-author.ts";
import type { ChangeWriter } from "./change-writer.ts";

export type HistoryContext = {
  request: BackfillRequest;
  account: FoundAccount;
  rev: string | null;
  before: AuthorProgress;
  /** When the reading began, Unix milliseconds. */
  askedMs: number;
  writer: ChangeWriter;
};

export type HistoryReport = {
  by: "repository" | "listing";
  /** A revision that is not later than the records read; null if unknown. */
  rev: string | null;
  /** Everything created before this time was read, Unix milliseconds. */
  asOfMs: number;
  /** Record keys of the posts, including invalid ones. */
  keys: ReadonlySet<string>;
  /** Whether `keys` is complete: an earlier run may have seen others. */
  isWhole: boolean;
  resumed: boolean;
  posts: number;
  badRecords: number;
  /** Null if the account has none, absent if unknown. */
  profile?: unknown;
};

/** Null if the account is inactive and its server returns no records. */
export type ReadHistory = (context: HistoryContext) => Promise<HistoryReport | null>;
