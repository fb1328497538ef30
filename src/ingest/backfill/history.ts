import type { FoundAccount } from "../../platforms/bluesky/find-account.ts";
import type { AuthorProgress } from "./author-progress.ts";
import type { BackfillRequest } from "./backfill-author.ts";
import type { ChangeWriter } from "./change-writer.ts";

export type HistoryContext = {
  request: BackfillRequest;
  account: FoundAccount;
  /** The repository's revision before anything was read; null when its server did not say. */
  rev: string | null;
  before: AuthorProgress;
  /** When the reading began, Unix milliseconds. */
  askedMs: number;
  writer: ChangeWriter;
};

/** What reading an account's history came to; its posts are with the writer. */
export type HistoryReport = {
  by: "repository" | "listing";
  /** A revision at which all that was read was so, or an earlier one; null when none is known. */
  rev: string | null;
  /** Everything made before this time was read, Unix milliseconds. */
  asOfMs: number;
  /** The record keys of its posts, bad ones too. */
  keys: ReadonlySet<string>;
  /** Whether `keys` are all of them: an earlier run may have seen the others. */
  isWhole: boolean;
  resumed: boolean;
  posts: number;
  badRecords: number;
  /** The profile record, null when it has none; left out where it is not known. */
  profile?: unknown;
};

/** Null when the account's server gives out nothing, as the account is not active. */
export type ReadHistory = (context: HistoryContext) => Promise<HistoryReport | null>;
