import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { Archive } from "../archive.ts";
import { readSegments, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { addPendingRewrites } from "../catalog/pending-tasks.ts";
import { forgottenRevision, maxDateMs } from "../catalog/removed-posts.ts";
import { inTransaction } from "../database.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import type { NamedAuthor } from "./named-author.ts";

export type ForgottenPost = {
  platform: Platform;
  uri: string;
  stored: { id: bigint; entry: SegmentEntry } | null;
};

export type ForgetContext = {
  archive: Pick<Archive, "write">;
  catalog: DatabaseSync;
  signal: AbortSignal;
};

const postsPerBatch = 500;

/**
 * Deletes posts and rejects all later versions. The requested rewrites remove the texts from disk.
 * Returns how many posts were stored.
 */
export async function forgetPosts(
  { archive, catalog, signal }: ForgetContext,
  posts: readonly ForgottenPost[],
  onProgress: (done: number) => void,
): Promise<number> {
  requestRewrites(catalog, posts);
  let deletedCount = 0;
  for (let start = 0; start < posts.length; start += postsPerBatch) {
    signal.throwIfAborted();
    const batch = posts.slice(start, start + postsPerBatch);
    const report = await archive.write({
      changes: batch.map(({ platform, uri }) => ({
        kind: "delete",
        platform,
        uri,
        revision: forgottenRevision,
      })),
    });
    deletedCount += report.deleted;
    onProgress(start + batch.length);
  }
  requestRewrites(catalog, posts);
  return deletedCount;
}

function requestRewrites(catalog: DatabaseSync, posts: readonly ForgottenPost[]): void {
  inTransaction(catalog, () => {
    const entries = readSegments(catalog);
    const affectedEntries = new Set<SegmentEntry>();
    for (const { platform, stored } of posts) {
      if (stored === null) continue;
      const owner = entries.find(
        (entry) => entry.platform === platform && entry.low <= stored.id && stored.id <= entry.high,
      );
      if (owner !== undefined) affectedEntries.add(owner);
    }
    addPendingRewrites(catalog, affectedEntries);
  });
}

export function allowReturn(
  { catalog, folder }: AllowReturnContext,
  posts: readonly Pick<ForgottenPost, "platform" | "uri">[],
): number {
  const deleteTombstone = catalog.prepare(
    "DELETE FROM tombstone WHERE platform = ? AND uri = ? AND revision = ?",
  );
  return inTransaction(catalog, () => {
    for (const [platform, platformPosts] of Map.groupBy(posts, (post) => post.platform)) {
      inEachSegment({ catalog, folder }, platform, (segment) => {
        const remove = segment.prepare("DELETE FROM tombstone WHERE uri = ? AND revision = ?");
        for (const { uri } of platformPosts) remove.run(uri, forgottenRevision);
      });
    }
    return posts.reduce(
      (removed, { platform, uri }) =>
        removed + Number(deleteTombstone.run(platform, uri, forgottenRevision).changes),
      0,
    );
  });
}

type AllowReturnContext = { catalog: DatabaseSync; folder: string };

function inEachSegment(
  { catalog, folder }: AllowReturnContext,
  platform: Platform,
  work: (segment: DatabaseSync) => void,
): void {
  for (const entry of readSegments(catalog)) {
    if (entry.platform !== platform) continue;
    const segment = openSegmentFile(segmentPath(folder, entry), 1_000);
    try {
      inTransaction(segment, () => work(segment));
    } finally {
      segment.close();
    }
  }
}

type Account = NamedAuthor & { userId: string };

export async function forgetAccount(
  { archive, catalog }: ForgetContext,
  { platform, userId }: Account,
  posts: readonly ForgottenPost[],
): Promise<number> {
  requestRewrites(catalog, posts);
  const { deleted } = await archive.write({
    changes: [{ kind: "account", platform, userId, status: "deleted", observedMs: maxDateMs }],
  });
  requestRewrites(catalog, posts);
  const key = [platform, userId];
  inTransaction(catalog, () => {
    catalog.prepare("DELETE FROM handle WHERE platform = ? AND user_id = ?").run(...key);
    catalog
      .prepare("UPDATE account SET name = NULL, labels = '[]' WHERE platform = ? AND user_id = ?")
      .run(...key);
  });
  return deleted;
}

export function allowAccountReturn(
  { catalog, folder }: AllowReturnContext,
  { platform, userId }: Account,
): boolean {
  const updateAccount = catalog.prepare(
    `UPDATE account SET status = 'active', status_ms = 0, deleted_ms = NULL
     WHERE platform = ? AND user_id = ? AND deleted_ms = ?`,
  );
  return inTransaction(catalog, () => {
    inEachSegment({ catalog, folder }, platform, (segment) => {
      const deleteSql = "DELETE FROM deleted_account WHERE user_id = ? AND deleted_ms = ?";
      segment.prepare(deleteSql).run(userId, maxDateMs);
    });
    return updateAccount.run(platform, userId, maxDateMs).changes > 0;
  });
}

/**
 * Removes the tombstones of an account's posts if their uris contain the account, as on Bluesky.
 */
export function allowAccountPostsReturn(
  { catalog, folder }: AllowReturnContext,
  { platform, userId }: Account,
): number {
  const prefix = `at://${userId}/`;
  const deleteTombstones = catalog.prepare(
    "DELETE FROM tombstone WHERE platform = ? AND revision = ? AND lower(substr(uri, 1, ?)) = ?",
  );
  return inTransaction(catalog, () => {
    inEachSegment({ catalog, folder }, platform, (segment) => {
      segment
        .prepare("DELETE FROM tombstone WHERE revision = ? AND lower(substr(uri, 1, ?)) = ?")
        .run(forgottenRevision, prefix.length, prefix);
    });
    return Number(deleteTombstones.run(platform, forgottenRevision, prefix.length, prefix).changes);
  });
}
