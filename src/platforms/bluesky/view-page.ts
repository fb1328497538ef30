import type { Profile } from "../../posts/profile.ts";
import { asFields, requireList } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { itemsPage, type PageItem, pageToken } from "../upstream-page.ts";
import { type PostViewResult, readViewTimes } from "./post-view.ts";

/** Far above the lexicons' limits. */
const maxViews = 1_000;

export const blueskyName = "Bluesky";

type PageInfo = { cursor: unknown; nowMs: number };

/** Drops a pinned post that is also in its regular position. */
export function blueskyPostPage(
  views: unknown,
  readPost: (view: unknown) => PostViewResult,
  { cursor, nowMs }: PageInfo,
): UpstreamPage {
  const results = requireList(views, maxViews, blueskyName).map((view) => ({
    view,
    post: readPost(view),
  }));
  const regularUris = new Set(
    results.flatMap(({ view, post }) =>
      typeof post === "string" || isPin(view) ? [] : [post.uri],
    ),
  );
  const items = results.flatMap(({ view, post }): PageItem[] => {
    if (typeof post !== "string" && isPin(view) && regularUris.has(post.uri)) return [];
    return [toPageItem(post, view, nowMs)];
  });
  return itemsPage(items, { name: blueskyName, ...pageToken(cursor, blueskyName), nowMs });
}

const isPin = (view: unknown): boolean =>
  asFields(asFields(view).reason).$type === "app.bsky.feed.defs#reasonPin";

export function toPageItem(post: PostViewResult, view: unknown, nowMs: number): PageItem {
  if (post === "unreadable") return { kind: "unreadable" };
  if (post === "withheld") return { kind: "omitted", timestamps: readViewTimes(view, nowMs) };
  return { kind: "post", post };
}

export function profilesPage(
  views: unknown,
  readProfile: (view: unknown) => Profile | "withheld" | "unreadable",
  { cursor, nowMs }: PageInfo,
): UpstreamPage {
  const items = requireList(views, maxViews, blueskyName).map((view): PageItem => {
    const profile = readProfile(view);
    if (profile === "unreadable") return { kind: "unreadable" };
    return profile === "withheld"
      ? { kind: "omitted", timestamps: null }
      : { kind: "profile", profile };
  });
  return itemsPage(items, { name: blueskyName, ...pageToken(cursor, blueskyName), nowMs });
}
