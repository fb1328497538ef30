import { read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { isFetched } from "../../platforms/source.ts";
import { lastId, xUri } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { JobResult } from "../job.ts";

export type FetchedPost = { platform: Platform; id: bigint; uri: string };

/** Posts whose URI cannot be derived from their ID. */
export function fetchedPosts({ items }: JobResult): FetchedPost[] {
  return items.filter(isFetched).flatMap(({ platform, id, uri }) => {
    const isSkipped = id === null || id > lastId || uri === null || uri === xUri(id);
    return isSkipped ? [] : [{ platform, id, uri }];
  });
}

export const storeFetchedPostsSql = (accountId: string, from: string): string => `
  INSERT INTO fetched_post(account_id, platform, id, uri, until_ms)
  SELECT ${accountId}, value ->> '$.platform', CAST(value ->> '$.id' AS INTEGER), value ->> '$.uri', :expiresMs
  FROM ${from}
  ON CONFLICT(account_id, platform, id) DO UPDATE SET uri = excluded.uri,
    until_ms = max(fetched_post.until_ms, excluded.until_ms)`;

const storeSql = storeFetchedPostsSql(
  "account_id",
  "job CROSS JOIN json_each(:posts) WHERE uuid = :uuid",
);

/** Omits duplicates, which would conflict. */
export function fetchedPostsJson(posts: readonly FetchedPost[]): string {
  const entries = posts.map(({ platform, id, uri }) => {
    return [`${platform} ${id}`, { platform, id: id.toString(), uri }] as const;
  });
  return JSON.stringify([...new Map(entries).values()]);
}

/** Call this in the transaction that completes the job. */
export function* storeFetchedPosts(
  database: Database,
  { uuid, expiresMs, posts }: { uuid: string; expiresMs: number; posts: readonly FetchedPost[] },
): Steps<void> {
  if (posts.length === 0) return;
  yield* database.run(storeSql, { uuid, expiresMs, posts: fetchedPostsJson(posts) });
}

export function* deleteExpiredFetchedPosts(
  database: Database,
  { nowMs, limit }: { nowMs: number; limit: number },
): Steps<number> {
  return yield* database.run(
    `DELETE FROM fetched_post WHERE (account_id, platform, id) IN
       (SELECT account_id, platform, id FROM fetched_post WHERE until_ms <= :nowMs LIMIT :limit)`,
    { nowMs, limit },
  );
}

/** Lets a lookup by ID use the primary key. */
const platformList = platforms.map((platform) => `'${platform}'`).join(", ");

export const fetchedOperations = {
  findFetched: read(function* (
    database,
    args: { accountId: string; id: bigint; nowMs: number },
  ): Steps<{ platform: Platform; uri: string }[]> {
    return yield* database.all(
      `SELECT platform, uri FROM fetched_post
         WHERE account_id = :accountId AND platform IN (${platformList}) AND id = :id
           AND until_ms > :nowMs`,
      args,
    );
  }),
};
