import type { Post } from "../../posts/post.ts";
import { list } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { type PageOptions, pageOf, type SentItem } from "../upstream-page.ts";
import { isWithheld, readPost } from "./read-post.ts";
import type { XAnswer } from "./request.ts";

const mostItems = 1_000;

export const name = "X";

/** `leftOut`: withheld and unreadable posts. */
export function readPosts({ data, includes }: Pick<XAnswer, "data" | "includes">): {
  posts: readonly Post[];
  leftOut: readonly SentItem[];
} {
  const posts: Post[] = [];
  const leftOut: SentItem[] = [];
  for (const item of list(data, mostItems)) {
    const post = readPost(item, includes);
    if (isWithheld(item)) leftOut.push({ kind: "withheld", times: post });
    else if (post === null) leftOut.push({ kind: "unreadable" });
    else posts.push(post);
  }
  return { posts, leftOut };
}

export function pageOfPosts(
  posts: readonly Post[],
  leftOut: readonly SentItem[],
  options: Omit<PageOptions, "name">,
): UpstreamPage {
  const sent = posts.map((post) => ({ kind: "post", post }) as const);
  return pageOf([...sent, ...leftOut], { name, ...options });
}
