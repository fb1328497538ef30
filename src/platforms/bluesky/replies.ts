import type { Post } from "../../posts/post.ts";
import { asFields, isObject, list } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { itemsPage, type PageItem } from "../upstream-page.ts";
import { readViewCount } from "./author-view.ts";
import { type PostViewResult, readIndexedMs, readPostView } from "./post-view.ts";
import { blueskyName, toPageItem } from "./view-page.ts";

const maxReplies = 5_000;
const maxRepliesPerPost = 2_000;
/** Each branch deeper than one response costs a request. */
const maxBranches = 20;

/**
 * Depth first, with the oldest sibling first; null if the post is missing or blocked. Missing and
 * blocked replies are omitted with the branches below them, withheld and unreadable ones without.
 * `fetchThread` also continues truncated branches.
 */
export async function blueskyReplyPage(
  uri: string,
  fetchThread: (uri: string) => Promise<unknown>,
  nowMs: number,
): Promise<UpstreamPage | null> {
  const items: PageItem[] = [];
  let replyCount = 0;
  let branchCount = 0;
  let isTruncated = false;
  // Not recursive, because thread depth is unbounded.
  const thread = await fetchThread(uri);
  const { notFound, blocked } = asFields(thread);
  if (thread === null || notFound === true || blocked === true) return null;
  const pending = repliesTo(thread, nowMs).reverse();
  for (let reply = pending.pop(); reply !== undefined; reply = pending.pop()) {
    if (replyCount === maxReplies) {
      isTruncated = true;
      break;
    }
    if (typeof reply.post !== "string") replyCount += 1;
    items.push(toPageItem(reply.post, reply.view, nowMs));
    let { view } = reply;
    const truncatedBranchUri = truncatedUri(view);
    if (truncatedBranchUri !== null) {
      isTruncated ||= branchCount === maxBranches;
      if (branchCount < maxBranches) view = await fetchThread(truncatedBranchUri);
      branchCount += 1;
    }
    pending.push(...repliesTo(view, nowMs).reverse());
  }
  return itemsPage(items, {
    name: blueskyName,
    next: null,
    nowMs,
    warnings: isTruncated ? [threadTruncated] : [],
  });
}

const threadTruncated: UpstreamWarning = {
  code: "thread_cut",
  message: "the thread is too large to read completely: some replies are missing",
  hint: "request the replies to a post further down in the thread",
  isPartial: true,
};

type Reply = { view: unknown; post: PostViewResult; timeMs: number };

function repliesTo(parent: unknown, nowMs: number): Reply[] {
  const replies = list(asFields(parent).replies, maxRepliesPerPost).flatMap((view): Reply[] => {
    const { notFound, blocked, post: postView } = asFields(view);
    if (notFound === true || blocked === true) return [];
    const post = isObject(postView) ? readPostView(postView, nowMs) : "unreadable";
    const timeMs = typeof post === "string" ? indexedMs(postView, nowMs) : postTime(post, nowMs);
    return [{ view, post, timeMs }];
  });
  return replies.sort((a, b) => a.timeMs - b.timeMs);
}

/** Null unless the depth limit truncated this post's replies. */
function truncatedUri(view: unknown): string | null {
  const { post, replies } = asFields(view);
  const { uri, replyCount } = asFields(post);
  if (replies !== undefined || typeof uri !== "string") return null;
  return (readViewCount(replyCount) ?? 0) > 0 ? uri : null;
}

const indexedMs = (view: unknown, nowMs: number): number =>
  readIndexedMs(asFields(view).indexedAt, nowMs) ?? nowMs;

const postTime = ({ createdMs, seenMs }: Post, nowMs: number): number =>
  Math.min(createdMs ?? nowMs, seenMs ?? nowMs);
