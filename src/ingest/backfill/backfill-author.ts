import type { AccountStatus, Archive, ArchiveChange, WriteReport } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isDid } from "../../platforms/bluesky/at-uri.ts";
import {
  type AccountDirectory,
  findAccount,
  type ResolvedAccount,
} from "../../platforms/bluesky/find-account.ts";
import { readProfileRecord } from "../../platforms/bluesky/profile.ts";
import { requestAccountState } from "./account-state.ts";
import { authorLabels, type LabelSource } from "./author-labels.ts";
import { authorCheckpoint, readAuthorProgress } from "./author-progress.ts";
import { postUri } from "./author-records.ts";
import { createChangeWriter } from "./change-writer.ts";
import type { PoliteFetch } from "./polite-fetch.ts";
import { readHistory } from "./read-history.ts";
import { canDetectDeletions, removeDeletedPosts } from "./remove-deleted-posts.ts";

type BackfillArchive = Pick<Archive, "write" | "readCheckpoint" | "search" | "records">;

type BackfillLimits = {
  /** Posts in larger repositories are listed instead. */
  maxRepositoryBytes: number;
  maxPosts: number;
  repositoryTimeoutMs: number;
};

export type BackfillRequest = {
  archive: BackfillArchive;
  clock: Clock;
  directory: AccountDirectory & { fetch: PoliteFetch };
  limits: BackfillLimits;
  labeler: LabelSource | null;
  ignoresProgress: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: { author: string; posts: number; bytesRead: number }) => void;
};

export type AuthorSummary = {
  did: string;
  handle: string | null;
  /** `unchanged`: since the last complete backfill; `inactive`: the server returns no records. */
  outcome: "complete" | "unchanged" | "inactive";
  status: AccountStatus | null;
  by: "repository" | "listing" | null;
  resumed: boolean;
  posts: number;
  badRecords: number;
  labels: number;
  checkedForDeletions: boolean;
  seconds: number;
} & WriteReport;

/**
 * Reads an account's handle, profile, state and labels, and its posts at one revision. Deletes
 * archived posts that no longer exist, but keeps newer changes from the stream. Finally records
 * coverage up to the time when the posts were requested. After an error, written batches remain,
 * and a listing can resume. Errors: those of `findAccount` (`account_deleted` only for a handle);
 * `upstream_refused`; `repository_too_large` beyond `maxPosts`.
 */
export async function backfillAuthor(
  author: string,
  request: BackfillRequest,
): Promise<AuthorSummary> {
  const { archive, clock, directory } = request;
  const startedMs = clock.elapsed();
  const requestedMs = clock.now();
  const writer = createChangeWriter(archive);

  async function run(): Promise<Omit<AuthorSummary, keyof WriteReport | "seconds">> {
    const account = await findAccount(author, directory).catch((error: unknown) => {
      if (isDid(author) && isAccountDeleted(error)) return null;
      throw error;
    });
    if (account === null) return await recordInactive({ did: author, handle: null }, "deleted");
    const { status, rev } = await requestAccountState(directory.fetch, account);
    if (status !== null && status !== "active") return await recordInactive(account, status);
    return await readActive(account, status, rev);
  }

  async function recordInactive(
    { did, handle }: Pick<ResolvedAccount, "did" | "handle">,
    status: AccountStatus,
  ) {
    await writer.add(makeState(did, status));
    await writer.flush();
    return { ...nothingRead, did, handle, outcome: "inactive" as const, status };
  }

  async function readActive(
    account: ResolvedAccount,
    status: AccountStatus | null,
    rev: string | null,
  ) {
    const { did, handle } = account;
    const previousProgress = await readAuthorProgress(archive, did);
    const isUnchanged =
      rev !== null && previousProgress.done?.rev === rev && !request.ignoresProgress;
    if (status === "active") await writer.add(makeState(did, status));
    if (handle !== null) await writer.add({ kind: "handle", ...observation(did), handle });
    if (isUnchanged) {
      const labels = await writeLabels(did, []);
      await finish(did, rev, { fromMs: previousProgress.done?.atMs ?? 0, toMs: requestedMs });
      return { ...nothingRead, did, handle, status, labels, outcome: "unchanged" as const };
    }
    await writer.flush();
    const history = await readHistory({
      request,
      account,
      rev,
      previousProgress,
      requestedMs,
      writer,
    });
    if (history === null) return await recordInactive(account, "inactive");
    if (history.profile !== undefined) {
      await writer.add({
        kind: "profile",
        ...observation(did),
        ...readProfileRecord(history.profile),
      });
    }
    await removeDeletedPosts(did, history, request, writer);
    const labels = await writeLabels(
      did,
      [...history.keys].map((key) => postUri(did, key)),
    );
    await finish(did, history.rev, { fromMs: 0, toMs: history.asOfMs });
    const { by, resumed, badRecords } = history;
    const posts = history.posts;
    const checkedForDeletions = canDetectDeletions(history);
    const summary = {
      did,
      handle,
      status,
      by,
      resumed,
      posts,
      badRecords,
      labels,
      checkedForDeletions,
    };
    return { ...summary, outcome: "complete" as const };
  }

  async function writeLabels(did: string, uris: readonly string[]): Promise<number> {
    const { labeler } = request;
    if (labeler === null) return 0;
    let count = 0;
    const subjects = { did, uris, nowMs: requestedMs };
    for await (const labels of authorLabels(directory.fetch, labeler, subjects)) {
      for (const label of labels) await writer.add(label);
      count += labels.length;
    }
    return count;
  }

  async function finish(
    did: string,
    rev: string | null,
    span: { fromMs: number; toMs: number },
  ): Promise<void> {
    await writer.add({ kind: "looked-up", platform: "bluesky", userId: did, atMs: requestedMs });
    const value = JSON.stringify({ done: { rev, atMs: span.toMs } });
    const claim = { platform: "bluesky", collection: "posts", account: did } as const;
    await writer.flush({
      checkpoints: [{ name: authorCheckpoint(did), value }],
      coverage: span.fromMs < span.toMs ? [{ ...claim, source: "backfill", ...span }] : [],
    });
  }

  const observation = (did: string) =>
    ({ platform: "bluesky", userId: did, observedMs: requestedMs }) as const;

  const makeState = (did: string, status: AccountStatus): ArchiveChange => ({
    kind: "account",
    ...observation(did),
    status,
  });

  const summary = await run();
  return { ...summary, ...writer.report(), seconds: (clock.elapsed() - startedMs) / 1_000 };
}

const isAccountDeleted = (error: unknown): boolean =>
  error instanceof EarshotError && error.code === "account_deleted";

const nothingRead = {
  by: null,
  resumed: false,
  posts: 0,
  badRecords: 0,
  labels: 0,
  checkedForDeletions: false,
} as const;
