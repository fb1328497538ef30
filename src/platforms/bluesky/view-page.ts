import type { Profile } from "../../posts/profile.ts";
import { fieldsOf, list, string } from "../fields.ts";
import type { UpstreamItem, UpstreamPage, UpstreamRemark } from "../upstream.ts";
import type { ReadPost } from "./post-view.ts";

/** Far above what the lexicons allow: it bounds the work that one answer can make. */
const mostViews = 1_000;
const longestCursor = 4_096;

export const emptyPage: UpstreamPage = { items: [], next: null };

/** What was asked about does not exist, or is not to be shown. */
export const absentPage: UpstreamPage = { ...emptyPage, isAbsent: true };

/** A page of posts, each once; a pin gives way to the post in its place. */
export function pageOfPosts(
  views: unknown,
  readPost: (view: unknown) => ReadPost,
  cursor: unknown,
): UpstreamPage {
  const inPlace = list(views, mostViews);
  const found = new Map<string, { isPin: boolean; item: UpstreamItem }>();
  let unreadable = 0;
  for (const view of inPlace) {
    const post = readPost(view);
    if (post === "unreadable") unreadable += 1;
    if (typeof post === "string") continue;
    const isPin = fieldsOf(fieldsOf(view).reason).$type === "app.bsky.feed.defs#reasonPin";
    const before = found.get(post.uri);
    if (before !== undefined && (isPin || !before.isPin)) continue;
    // A key that is set anew keeps its old place, which is the pin's.
    found.delete(post.uri);
    found.set(post.uri, { isPin, item: { kind: "post", post } });
  }
  return pageOf(
    [...found.values()].map(({ item }) => item),
    unreadable,
    cursor,
  );
}

/** A page of accounts, each once. */
export function pageOfProfiles(
  views: unknown,
  readProfile: (view: unknown) => Profile | "withheld" | "unreadable",
  cursor: unknown,
): UpstreamPage {
  const found = new Map<string, UpstreamItem>();
  let unreadable = 0;
  for (const view of list(views, mostViews)) {
    const profile = readProfile(view);
    if (profile === "unreadable") unreadable += 1;
    if (typeof profile === "string" || found.has(profile.userId)) continue;
    found.set(profile.userId, { kind: "profile", profile });
  }
  return pageOf([...found.values()], unreadable, cursor);
}

/** The page of what was read, with a remark on what could not be. */
export function pageOf(
  items: readonly UpstreamItem[],
  unreadable: number,
  cursor: unknown,
): UpstreamPage {
  const next = string(cursor, longestCursor + 1);
  return {
    items,
    next: next === null || next === "" || next.length > longestCursor ? null : next,
    ...(unreadable === 0 ? {} : { remarks: [unreadableItems(unreadable)] }),
  };
}

/** What the caller is told of items that were left out. */
export const unreadableItems = (count: number): UpstreamRemark => ({
  code: "unreadable_items",
  message: `${count} of the items that Bluesky answered with could not be read and ${count === 1 ? "is" : "are"} left out`,
});
