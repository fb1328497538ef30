import type { Post } from "../../posts/post.ts";
import { list } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { itemsPage, type PageOptions, type SentItem } from "../upstream-page.ts";
import { isPostWithheld, readXPost } from "./read-post.ts";
import type { XAnswer } from "./request.ts";

const maxItems = 1_000;

export const xName = "X";

/** `leftOut`: withheld and unreadable posts. */
export function readPosts({ data, includes }: Pick<XAnswer, "data" | "includes">): {
  posts: readonly Post[];
  leftOut: readonly SentItem[];
} {
  const posts: Post[] = [];
  const leftOut: SentItem[] = [];
  for (const item of list(data, maxItems)) {
    const post = readXPost(item, includes);
    if (isPostWithheld(item)) leftOut.push({ kind: "withheld", times: post });
    else if (post === null) leftOut.push({ kind: "unreadable" });
    else posts.push(post);
  }
  return { posts, leftOut };
}

export function xPostPage(
  posts: readonly Post[],
  leftOut: readonly SentItem[],
  options: Omit<PageOptions, "name">,
): UpstreamPage {
  const items = posts.map((post) => ({ kind: "post", post }) as const);
  return itemsPage([...items, ...leftOut], { name: xName, ...options });
}
