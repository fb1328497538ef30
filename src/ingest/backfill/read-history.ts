import { EarshotError } from "../../lib/errors.ts";
import { startSlices } from "../../lib/slices.ts";
import { profileCollection } from "../../platforms/bluesky/collections.ts";
import { postCollection } from "../../platforms/bluesky/post.ts";
import { profileKey } from "../../platforms/bluesky/profile.ts";
import { readRepository } from "../../platforms/bluesky/repository.ts";
import { readRefusal, refusalError, xrpcUrl } from "../../platforms/bluesky/xrpc.ts";
import { refusalStatus } from "./account-state.ts";
import { authorCheckpoint } from "./author-progress.ts";
import { fetchProfileRecord, listedRecords } from "./author-records.ts";
import type { HistoryContext, HistoryReport, ReadHistory } from "./history.ts";
import { readRecordPost } from "./read-record-post.ts";

export const readHistory: ReadHistory = async (context) => {
  const { limits } = context.request;
  if (context.previousProgress.listing === null) {
    const history = await readWholeRepository(context).catch((error: unknown) => {
      if (isWorthListing(error)) return "listing" as const;
      throw error;
    });
    if (history !== "listing") return history;
  }
  return await readListing(context, limits.maxPosts);
};

const fallbackCodes = new Set(["answer_too_large", "repository_unreadable", "upstream_timeout"]);

const isWorthListing = (error: unknown): boolean =>
  error instanceof EarshotError && fallbackCodes.has(error.code);

/**
 * Writes each page of com.atproto.repo.listRecords together with the next cursor, where an
 * interrupted listing resumes. All posts get the revision read before the first page. Errors:
 * `repository_too_large` beyond `maxPosts`; `upstream_refused`.
 */
async function readListing(
  { request, account, rev, previousProgress, requestedMs, writer }: HistoryContext,
  maxPosts: number,
): Promise<HistoryReport> {
  const { fetch } = request.directory;
  const { did } = account;
  const author = account.handle ?? did;
  const listingStart = previousProgress.listing ?? {
    cursor: null,
    rev: rev ?? "",
    startedMs: requestedMs,
  };
  const keys = new Set<string>();
  let posts = 0;
  for await (const { records, cursor } of listedRecords(fetch, account, listingStart.cursor)) {
    for (const { rkey, record } of records) {
      keys.add(rkey);
      const post = readRecordPost({ did, rkey, record, rev: listingStart.rev }, requestedMs);
      if (post === null) continue;
      posts += 1;
      await writer.add({ kind: "upsert", post });
    }
    if (keys.size > maxPosts) throw tooManyPosts(author, maxPosts);
    if (cursor !== null) {
      const listing = { cursor, rev: listingStart.rev, startedMs: listingStart.startedMs };
      const value = JSON.stringify({ done: previousProgress.done, listing });
      await writer.flush({ checkpoints: [{ name: authorCheckpoint(did), value }] });
    }
    request.onProgress?.({ author, posts, bytesRead: 0 });
  }
  const resumed = previousProgress.listing !== null;
  return {
    by: "listing",
    rev: listingStart.rev === "" ? null : listingStart.rev,
    asOfMs: listingStart.startedMs,
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

const profilePath = `${profileCollection}/${profileKey}`;

/**
 * Reads all records at one revision with one request (com.atproto.sync.getRepo) before any is
 * written. Errors: `answer_too_large`, `repository_unreadable`, `upstream_refused`,
 * `upstream_timeout`.
 */
const readWholeRepository: ReadHistory = async ({ request, account, requestedMs, writer }) => {
  const { clock, directory, limits, onProgress } = request;
  const { did, pds } = account;
  const response = await directory.fetch.stream(xrpcUrl(pds, "com.atproto.sync.getRepo", { did }), {
    maxBytes: limits.maxRepositoryBytes,
    timeoutMs: limits.repositoryTimeoutMs,
  });
  if (response.status !== 200) {
    const refusal = readRefusal({ status: response.status, json: await getJson(response.pieces) });
    if (refusalStatus(refusal) !== null) return null;
    throw refusalError(pds.host, refusal);
  }
  const author = account.handle ?? did;
  const repository = await readRepository(response.pieces, {
    did,
    clock,
    collections: [postCollection, profileCollection],
    onProgress: (bytesRead) => onProgress?.({ author, posts: 0, bytesRead }),
  });
  const { rev, bytes, entries } = repository;
  const keys = new Set<string>();
  const yieldIfDue = startSlices(clock);
  let posts = 0;
  let profile: unknown = null;
  for (const entry of entries) {
    await yieldIfDue();
    if (entry.path === profilePath) profile = repository.readRecord(entry) ?? null;
    if (!entry.path.startsWith(`${postCollection}/`)) continue;
    const rkey = entry.path.slice(postCollection.length + 1);
    keys.add(rkey);
    const repositoryRecord = { did, rkey, rev, record: repository.readRecord(entry) };
    const post = readRecordPost(repositoryRecord, requestedMs);
    if (post === null) continue;
    posts += 1;
    const pendingFlush = writer.add({ kind: "upsert", post });
    if (pendingFlush === undefined) continue;
    await pendingFlush;
    request.signal?.throwIfAborted();
    onProgress?.({ author, posts, bytesRead: bytes });
  }
  onProgress?.({ author, posts, bytesRead: bytes });
  const badRecords = keys.size - posts;
  const contents = { rev, keys, posts, badRecords, profile };
  return { ...contents, by: "repository", asOfMs: requestedMs, isComplete: true, resumed: false };
};

const maxRefusalBytes = 10_000;

async function getJson(pieces: AsyncIterable<Uint8Array>): Promise<() => unknown> {
  const buffers: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    buffers.push(piece);
    bytes += piece.byteLength;
    if (bytes > maxRefusalBytes) break;
  }
  return () => JSON.parse(Buffer.concat(buffers).toString("utf8"));
}
