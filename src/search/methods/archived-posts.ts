import type { Span } from "../../lib/spans.ts";
import type { SourceRequest, SourceWarning } from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import type { UpstreamJob } from "../../upstream/requests/sessions.ts";
import { searchArchive } from "../archive/search.ts";
import type { AnswerContext } from "../context.ts";

export type ArchivedPost = {
  id: bigint;
  userId: string | null;
  username: string;
  authorName: string | null;
  authorVerified: boolean | null;
  createdMs: number | null;
  hashtags: readonly string[];
  urls: readonly string[];
};

export type ArchivedPosts = {
  posts: readonly ArchivedPost[];
  next: SourceRequest["after"];
  gaps: readonly Span[];
  warnings: readonly SourceWarning[];
};

type PostsRequest = Pick<SourceRequest, "query" | "fromMs" | "toMs" | "asOfMs" | "after"> & {
  platform: Platform;
};

const postsPerPage = 500;

/** Posts newest first; fewer than `max` if the deadline passes. */
export async function readArchivedPosts(
  { source }: Pick<AnswerContext, "source">,
  postsRequest: PostsRequest,
  max: number,
  { accountId, deadlineMs, signal }: UpstreamJob,
): Promise<ArchivedPosts> {
  const posts: ArchivedPost[] = [];
  let { after } = postsRequest;
  let gaps: ArchivedPosts["gaps"] | null = null;
  const warnings: SourceWarning[] = [];
  for (let remaining = max; ; ) {
    const request = { ...postsRequest, after, maxResults: Math.min(remaining, postsPerPage) };
    const accountSource = { ...source, account: accountId };
    const answer = await searchArchive(accountSource, request, deadlineMs, signal);
    const positions = answer.items.map(({ platform, id }) => ({ platform, id: id ?? 0n }));
    const { records } = await source.archive.records(positions);
    signal.throwIfAborted();
    posts.push(...records.map(parsePost));
    gaps ??= answer.coverage.gaps;
    warnings.push(...answer.warnings.filter(({ code }) => !redundantCodes.has(code)));
    after = answer.next;
    remaining -= positions.length;
    const isOver = after === null || remaining <= 0 || positions.length === 0;
    if (isOver || source.clock.now() >= deadlineMs) return { posts, next: after, gaps, warnings };
  }
}

const redundantCodes = new Set(["incomplete_coverage", "deadline_reached"]);

type StoredRecord = {
  ID: string;
  Metadata: {
    user_id: string | null;
    username: string;
    author: string | null;
    author_verified: boolean | null;
    created_at: string | null;
    hashtags: readonly string[];
    urls: readonly string[];
  };
};

function parsePost(text: string): ArchivedPost {
  const { ID, Metadata }: StoredRecord = JSON.parse(text);
  const createdMs = Metadata.created_at === null ? Number.NaN : Date.parse(Metadata.created_at);
  return {
    id: BigInt(ID),
    userId: Metadata.user_id,
    username: Metadata.username,
    authorName: Metadata.author,
    authorVerified: Metadata.author_verified,
    createdMs: Number.isNaN(createdMs) ? null : createdMs,
    hashtags: Metadata.hashtags,
    urls: Metadata.urls,
  };
}
