import type { AccountStatus, Archive, ArchiveChange, WriteReport } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isDid } from "../../platforms/bluesky/at-uri.ts";
import {
  type AccountDirectory,
  type FoundAccount,
  findAccount,
} from "../../platforms/bluesky/find-account.ts";
import { profileOf } from "../../platforms/bluesky/profile.ts";
import { askAccountState } from "./account-state.ts";
import { authorLabels, type Labeler } from "./author-labels.ts";
import { authorCheckpoint, readAuthorProgress } from "./author-progress.ts";
import { postUri } from "./author-records.ts";
import { createChangeWriter } from "./change-writer.ts";
import type { PoliteFetch } from "./polite-fetch.ts";
import { readHistory } from "./read-history.ts";
import { removeMissing, seeksMissing } from "./remove-missing.ts";

type BackfillArchive = Pick<Archive, "write" | "readCheckpoint" | "search" | "records">;

type BackfillLimits = {
  /** Bytes of a repository that is read as a whole; of a larger one the posts are listed. */
  maxRepositoryBytes: number;
  /** Posts of one account. */
  maxPosts: number;
  repositoryTimeoutMs: number;
};

export type BackfillRequest = {
  archive: BackfillArchive;
  clock: Clock;
  directory: AccountDirectory & { fetch: PoliteFetch };
  limits: BackfillLimits;
  /** Null where labels are not asked for. */
  labeler: Labeler | null;
  /** Whether an account is read though nothing of it has changed since it was. */
  again: boolean;
  signal?: AbortSignal;
  onProgress?: (seen: { author: string; posts: number; readBytes: number }) => void;
};

export type AuthorSummary = {
  did: string;
  handle: string | null;
  /** `complete`: all of it was read; `unchanged`: it was before, and is the same; `inactive`: its server gives out nothing. */
  outcome: "complete" | "unchanged" | "inactive";
  status: AccountStatus | null;
  /** How its posts were read. */
  by: "repository" | "listing" | null;
  /** Whether an earlier run had begun. */
  resumed: boolean;
  posts: number;
  /** Records among its posts that are none. */
  badRecords: number;
  labels: number;
  /** Whether posts that are held and exist no longer were looked for. */
  missingSought: boolean;
  seconds: number;
} & WriteReport;

/**
 * Reads the whole history of one account into the archive: its posts as they are at one revision, its handle, profile and
 * state, and the labels of its posts. Posts that are held and exist no longer are deleted. What the stream has told later than
 * that revision stays. At the end all of the account's posts up to the moment of asking are claimed as held.
 *
 * Errors: those of `findAccount` but `account_deleted`; `repository_unreadable`, `repository_too_large`; what the fetch and
 * the archive throw. What was written until then stays, and a listing goes on where it was.
 */
export async function backfillAuthor(
  asked: string,
  request: BackfillRequest,
): Promise<AuthorSummary> {
  const { archive, clock, directory } = request;
  const startedMs = clock.elapsed();
  const askedMs = clock.now();
  const writer = createChangeWriter(archive);

  async function run(): Promise<Omit<AuthorSummary, keyof WriteReport | "seconds">> {
    const account = await findAccount(asked, directory).catch((fault: unknown) => {
      if (isDid(asked) && isGivenUp(fault)) return null;
      throw fault;
    });
    if (account === null) return await recordInactive({ did: asked, handle: null }, "deleted");
    const { status, rev } = await askAccountState(directory.fetch, account);
    if (status !== null && status !== "active") return await recordInactive(account, status);
    return await readActive(account, status, rev);
  }

  async function recordInactive(
    { did, handle }: Pick<FoundAccount, "did" | "handle">,
    status: AccountStatus,
  ) {
    await writer.add(stateOf(did, status));
    await writer.flush();
    return { ...nothingRead, did, handle, outcome: "inactive" as const, status };
  }

  async function readActive(
    account: FoundAccount,
    status: AccountStatus | null,
    rev: string | null,
  ) {
    const { did, handle } = account;
    const before = await readAuthorProgress(archive, did);
    const isSame = rev !== null && before.done?.rev === rev && !request.again;
    // An account that was deleted and is back lets its posts in again only from here on.
    if (status === "active") await writer.add(stateOf(did, status));
    if (handle !== null) await writer.add({ kind: "handle", ...of(did), handle });
    if (isSame) {
      const labels = await writeLabels(did, []);
      await finish(did, rev, { fromMs: before.done?.atMs ?? 0, toMs: askedMs });
      return { ...nothingRead, did, handle, status, labels, outcome: "unchanged" as const };
    }
    await writer.flush();
    const history = await readHistory({ request, account, rev, before, askedMs, writer });
    if (history === null) return await recordInactive(account, "inactive");
    if (history.profile !== undefined) {
      await writer.add({ kind: "profile", ...of(did), ...profileOf(history.profile) });
    }
    await removeMissing(did, history, request, writer);
    const labels = await writeLabels(
      did,
      [...history.keys].map((key) => postUri(did, key)),
    );
    await finish(did, history.rev, { fromMs: 0, toMs: history.asOfMs });
    const { by, resumed, badRecords } = history;
    const posts = history.posts;
    const missingSought = seeksMissing(history);
    const told = { did, handle, status, by, resumed, posts, badRecords, labels, missingSought };
    return { ...told, outcome: "complete" as const };
  }

  async function writeLabels(did: string, uris: readonly string[]): Promise<number> {
    const { labeler } = request;
    if (labeler === null) return 0;
    let count = 0;
    const about = { did, uris, nowMs: askedMs };
    for await (const labels of authorLabels(directory.fetch, labeler, about)) {
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
    await writer.add({ kind: "looked-up", platform: "bluesky", userId: did, atMs: askedMs });
    const value = JSON.stringify({ done: { rev, atMs: span.toMs } });
    const claim = { platform: "bluesky", collection: "posts", account: did } as const;
    await writer.flush({
      checkpoints: [{ name: authorCheckpoint(did), value }],
      coverage: span.fromMs < span.toMs ? [{ ...claim, source: "backfill", ...span }] : [],
    });
  }

  const of = (did: string) => ({ platform: "bluesky", userId: did, observedMs: askedMs }) as const;

  const stateOf = (did: string, status: AccountStatus): ArchiveChange => ({
    kind: "account",
    ...of(did),
    status,
  });

  const told = await run();
  return { ...told, ...writer.report(), seconds: (clock.elapsed() - startedMs) / 1_000 };
}

const isGivenUp = (fault: unknown): boolean =>
  fault instanceof EarshotError && fault.code === "account_deleted";

const nothingRead = {
  by: null,
  resumed: false,
  posts: 0,
  badRecords: 0,
  labels: 0,
  missingSought: false,
} as const;
