import type { Post } from "../../posts/post.ts";
import { fieldsOf, isObject, list } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { itemsPage, type SentItem } from "../upstream-page.ts";
import { readViewCount } from "./author-view.ts";
import { type PostRead, postOfView, readIndexedMs } from "./post-view.ts";
import { blueskyName, sentPost } from "./view-page.ts";

/** More than an answer of the usual size can contain. */
const maxReplies = 5_000;
const maxRepliesOfPost = 2_000;
/** Branches deeper than one answer cost a request each. */
const maxBranches = 20;

/**
 * Depth first, oldest first; null if the post is missing. Hidden, blocked and deleted posts are dropped, their replies are not.
 * `threadOf` also continues branches that an answer cut off.
 */
export async function blueskyReplyPage(
  uri: string,
  threadOf: (uri: string) => Promise<unknown>,
  nowMs: number,
): Promise<UpstreamPage | null> {
  const sent: SentItem[] = [];
  let replies = 0;
  let branches = 0;
  let isCut = false;
  // Not recursive, because thread depth is unbounded.
  const thread = await threadOf(uri);
  const { notFound, blocked } = fieldsOf(thread);
  if (thread === null || notFound === true || blocked === true) return null;
  const waiting = repliesTo(thread, nowMs).reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (replies === maxReplies) {
      isCut = true;
      break;
    }
    if (typeof node.post !== "string") replies += 1;
    sent.push(sentPost(node.post, node.view, nowMs));
    let { view } = node;
    const truncated = truncatedUri(view);
    if (truncated !== null) {
      isCut ||= branches === maxBranches;
      if (branches < maxBranches) view = await threadOf(truncated);
      branches += 1;
    }
    for (const reply of repliesTo(view, nowMs).reverse()) waiting.push(reply);
  }
  return itemsPage(sent, {
    name: blueskyName,
    next: null,
    nowMs,
    warnings: isCut ? [threadCut] : [],
  });
}

const threadCut: UpstreamWarning = {
  code: "thread_cut",
  message: "the thread is too large to read completely: some replies are missing",
  hint: "request the replies to a post further down in the thread",
  isPartial: true,
};

type Reply = { view: unknown; post: PostRead; timeMs: number };

function repliesTo(node: unknown, nowMs: number): Reply[] {
  const replies = list(fieldsOf(node).replies, maxRepliesOfPost).flatMap((view): Reply[] => {
    const { notFound, blocked, post: shown } = fieldsOf(view);
    if (notFound === true || blocked === true) return [];
    const post = isObject(shown) ? postOfView(shown, nowMs) : "unreadable";
    const timeMs = typeof post === "string" ? indexedMs(shown, nowMs) : timeOf(post, nowMs);
    return [{ view, post, timeMs }];
  });
  return replies.sort((one, other) => one.timeMs - other.timeMs);
}

/** Null unless the answer's depth limit cut off the replies of this post. */
function truncatedUri(view: unknown): string | null {
  const { post, replies } = fieldsOf(view);
  const { uri, replyCount } = fieldsOf(post);
  if (replies !== undefined || typeof uri !== "string") return null;
  return (readViewCount(replyCount) ?? 0) > 0 ? uri : null;
}

const indexedMs = (view: unknown, nowMs: number): number =>
  readIndexedMs(fieldsOf(view).indexedAt, nowMs) ?? nowMs;

const timeOf = ({ createdMs, seenMs }: Post, nowMs: number): number =>
  Math.min(createdMs ?? nowMs, seenMs ?? nowMs);
