import type { Post } from "../../posts/post.ts";
import { list } from "../fields.ts";
import type { UpstreamPage, UpstreamRemark } from "../upstream.ts";
import type { Told } from "./ask.ts";
import { isWithheld, readPost } from "./read-post.ts";

/** More than any page of X. */
const mostItems = 1_000;

/** The posts of an answer, without those that X withholds; how many cannot be read is told. */
export function readPosts({ data, includes }: Told): { posts: Post[]; unreadable: number } {
  const items = list(data, mostItems).filter((item) => !isWithheld(item));
  const posts = items.map((item) => readPost(item, includes)).filter((post) => post !== null);
  return { posts, unreadable: items.length - posts.length };
}

export function pageOfPosts(
  posts: readonly Post[],
  next: string | null,
  remarks: readonly UpstreamRemark[],
): UpstreamPage {
  return { items: posts.map((post) => ({ kind: "post", post })), next, remarks };
}

/** What is said of items that cannot be read; nothing where all could be. */
export function unreadableItems(unreadable: number): UpstreamRemark[] {
  if (unreadable === 0) return [];
  const what = unreadable === 1 ? "item" : "items";
  return [
    {
      code: "unreadable_items",
      message: `${unreadable} ${what} of X cannot be read and are left out`,
    },
  ];
}

export const nothingFound: UpstreamPage = { items: [], next: null };
