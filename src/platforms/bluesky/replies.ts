import type { Post } from "../../posts/post.ts";
import { fieldsOf, isObject, list } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { pageOf, type SentItem } from "../upstream-page.ts";
import { readCount } from "./author-view.ts";
import { postOfView, type ReadPost, readIndexedMs } from "./post-view.ts";
import { name, sentPost } from "./view-page.ts";

/** More than an answer of the usual size can hold. */
const mostReplies = 5_000;
const mostRepliesOfPost = 2_000;
/** Branches of one thread that are asked for by themselves, as they go deeper than one answer. */
const mostBranches = 20;

/**
 * The answers to the post of a thread, and the answers to those: each after what it answers, the oldest first, as a thread is
 * read; null when the post is not there. What is hidden, blocked or gone is left out, and what answers it stays. `threadOf` tells the
 * thread of a post from there on; it is asked again where a branch ends with answers untold. Errors: those of `threadOf`.
 */
export async function pageOfReplies(
  uri: string,
  threadOf: (uri: string) => Promise<unknown>,
  nowMs: number,
): Promise<UpstreamPage | null> {
  const sent: SentItem[] = [];
  let replies = 0;
  let branches = 0;
  let isCut = false;
  // Depth first without recursion: how deep a thread goes is not ours to say.
  const thread = await threadOf(uri);
  const { notFound, blocked } = fieldsOf(thread);
  if (thread === null || notFound === true || blocked === true) return null;
  const waiting = repliesTo(thread, nowMs).reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (replies === mostReplies) {
      isCut = true;
      break;
    }
    if (typeof node.post !== "string") replies += 1;
    sent.push(sentPost(node.post, node.view, nowMs));
    let { view } = node;
    const untold = untoldUri(view);
    if (untold !== null) {
      isCut ||= branches === mostBranches;
      if (branches < mostBranches) view = await threadOf(untold);
      branches += 1;
    }
    for (const reply of repliesTo(view, nowMs).reverse()) waiting.push(reply);
  }
  return pageOf(sent, { name, next: null, nowMs, remarks: isCut ? [threadCut] : [] });
}

const threadCut: UpstreamWarning = {
  code: "thread_cut",
  message: "the thread is larger than what is read of one; some of its replies are not shown",
  hint: "ask for the replies to a post further down in it",
  isPartial: true,
};

type Reply = { view: unknown; post: ReadPost; timeMs: number };

/** The replies to a node, the oldest first. */
function repliesTo(node: unknown, nowMs: number): Reply[] {
  const replies = list(fieldsOf(node).replies, mostRepliesOfPost).flatMap((view): Reply[] => {
    const { notFound, blocked, post: shown } = fieldsOf(view);
    if (notFound === true || blocked === true) return [];
    const post = isObject(shown) ? postOfView(shown, nowMs) : "unreadable";
    const timeMs = typeof post === "string" ? indexedMs(shown, nowMs) : timeOf(post, nowMs);
    return [{ view, post, timeMs }];
  });
  return replies.sort((one, other) => one.timeMs - other.timeMs);
}

/** The post of a node that has replies, of which the answer tells nothing; null for any other. */
function untoldUri(view: unknown): string | null {
  const { post, replies } = fieldsOf(view);
  const { uri, replyCount } = fieldsOf(post);
  if (replies !== undefined || typeof uri !== "string") return null;
  return (readCount(replyCount) ?? 0) > 0 ? uri : null;
}

const indexedMs = (view: unknown, nowMs: number): number =>
  readIndexedMs(fieldsOf(view).indexedAt, nowMs) ?? nowMs;

const timeOf = ({ createdMs, seenMs }: Post, nowMs: number): number =>
  Math.min(createdMs ?? nowMs, seenMs ?? nowMs);
