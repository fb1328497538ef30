import type { Post } from "../../posts/post.ts";
import { list } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { itemsPage, type PageItem, type PageOptions } from "../upstream-page.ts";
import { isPostWithheld, readXPost } from "./read-post.ts";
import type { XResponse } from "./request.ts";

const maxItems = 1_000;

export const xName = "X";

/** Withheld and unreadable posts are in `omitted`. */
export function readPosts({ data, includes }: Pick<XResponse, "data" | "includes">): {
  posts: readonly Post[];
  omitted: readonly PageItem[];
} {
  const posts: Post[] = [];
  const omitted: PageItem[] = [];
  for (const item of list(data, maxItems)) {
    const post = readXPost(item, includes);
    if (isPostWithheld(item)) omitted.push({ kind: "omitted", timestamps: post });
    else if (post === null) omitted.push({ kind: "unreadable" });
    else posts.push(post);
  }
  return { posts, omitted };
}

export function xPostPage(
  posts: readonly Post[],
  omitted: readonly PageItem[],
  options: Omit<PageOptions, "name">,
): UpstreamPage {
  const items = posts.map((post) => ({ kind: "post", post }) as const);
  return itemsPage([...items, ...omitted], { name: xName, ...options });
}
