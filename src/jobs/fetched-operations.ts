import { read } from "../db/operations.ts";
import type { Database, Steps } from "../db/statements.ts";
import { isFetched } from "../platforms/source.ts";
import { lastId, xUri } from "../posts/ids.ts";
import type { Platform } from "../posts/post.ts";
import type { JobResult } from "./job.ts";

/** With the ID it was shown under. */
export type FetchedPost = { platform: Platform; id: bigint; uri: string };

/** Unlike an X post's, their URIs cannot be derived from the ID. */
export function fetchedPosts({ items }: JobResult): FetchedPost[] {
  return items.filter(isFetched).flatMap(({ platform, id, uri }) => {
    const isKnown = id === null || id > lastId || uri === null || uri === xUri(id);
    return isKnown ? [] : [{ platform, id, uri }];
  });
}

/** Until the result expires; in the transaction that completes the job. */
export function* storeFetched(
  database: Database,
  { uuid, untilMs, posts }: { uuid: string; untilMs: number; posts: readonly FetchedPost[] },
): Steps<void> {
  for (const post of posts) {
    yield* database.run(
      `INSERT INTO fetched_post(account_id, platform, id, uri, until_ms)
       SELECT account_id, :platform, :id, :uri, :untilMs FROM job WHERE uuid = :uuid
       ON CONFLICT(account_id, platform, id) DO UPDATE SET uri = excluded.uri,
         until_ms = max(fetched_post.until_ms, excluded.until_ms)`,
      { uuid, untilMs, ...post },
    );
  }
}

/** Returns the number of rows of the batch. */
export function* dropFetched(
  database: Database,
  { nowMs, limit }: { nowMs: number; limit: number },
): Steps<number> {
  return yield* database.run(
    `DELETE FROM fetched_post WHERE (account_id, platform, id) IN
       (SELECT account_id, platform, id FROM fetched_post WHERE until_ms <= :nowMs LIMIT :limit)`,
    { nowMs, limit },
  );
}

export const fetchedOperations = {
  findFetched: read(function* (
    database,
    args: { accountId: string; id: bigint; nowMs: number },
  ): Steps<{ platform: Platform; uri: string }[]> {
    return yield* database.all(
      `SELECT platform, uri FROM fetched_post
         WHERE account_id = :accountId AND platform IN ('bluesky', 'mastodon', 'x') AND id = :id
           AND until_ms > :nowMs`,
      args,
    );
  }),
};
