import type { ResolvedAccount } from "../../platforms/bluesky/find-account.ts";
import type { AuthorProgress } from "./author-progress.ts";
import type { BackfillRequest } from "./backfill-author.ts";
import type { ChangeWriter } from "./change-writer.ts";

export type HistoryContext = {
  request: BackfillRequest;
  account: ResolvedAccount;
  rev: string | null;
  previousProgress: AuthorProgress;
  requestedMs: number;
  writer: ChangeWriter;
};

export type HistoryReport = {
  by: "repository" | "listing";
  rev: string | null;
  /** All posts created before this time have been read. */
  asOfMs: number;
  keys: ReadonlySet<string>;
  /** False if `keys` may lack posts that an interrupted run listed. */
  isComplete: boolean;
  resumed: boolean;
  posts: number;
  badRecords: number;
  /** Null if the account has no profile, absent if unknown. */
  profile?: unknown;
};

export type ReadHistory = (context: HistoryContext) => Promise<HistoryReport | null>;
