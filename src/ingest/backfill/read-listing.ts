import { EarshotError } from "../../lib/errors.ts";
import { authorCheckpoint } from "./author-progress.ts";
import { fetchProfileRecord, listedRecords } from "./author-records.ts";
import type { HistoryContext, HistoryReport } from "./history.ts";
import { readRecordPost } from "./post-of-record.ts";

/**
 * Writes each page of com.atproto.repo.listRecords with the next cursor, to resume an interrupted
 * listing. All posts get the revision read before the first page. Errors: `repository_too_large`
 * beyond `maxPosts`; `upstream_refused`.
 */
export async function readListing(
  { request, account, rev, before, requestedMs, writer }: HistoryContext,
  maxPosts: number,
): Promise<HistoryReport> {
  const { fetch } = request.directory;
  const { did } = account;
  const author = account.handle ?? did;
  const first = before.listing ?? { cursor: null, rev: rev ?? "", startedMs: requestedMs };
  const keys = new Set<string>();
  let posts = 0;
  for await (const { records, cursor } of listedRecords(fetch, account, first.cursor)) {
    for (const { rkey, record } of records) {
      keys.add(rkey);
      const post = readRecordPost({ did, rkey, record, rev: first.rev }, requestedMs);
      if (post === null) continue;
      posts += 1;
      await writer.add({ kind: "upsert", post });
    }
    if (keys.size > maxPosts) throw tooManyPosts(author, maxPosts);
    if (cursor !== null) {
      const listing = { cursor, rev: first.rev, startedMs: first.startedMs };
      const value = JSON.stringify({ done: before.done, listing });
      await writer.flush({ checkpoints: [{ name: authorCheckpoint(did), value }] });
    }
    request.onProgress?.({ author, posts, readBytes: 0 });
  }
  const resumed = before.listing !== null;
  return {
    by: "listing",
    rev: first.rev === "" ? null : first.rev,
    asOfMs: first.startedMs,
    keys,
    isComplete: !resumed,
    resumed,
    posts,
    badRecords: keys.size - posts,
    profile: await fetchProfileRecord(fetch, account),
  };
}

function tooManyPosts(author: string, maxPosts: number): EarshotError {
  return new EarshotError("repository_too_large", `${author} has more than ${maxPosts} posts`, {
    hint: "raise EARSHOT_BACKFILL_MAX_POSTS and retry; the backfill resumes",
  });
}
