import type { Profile } from "../../posts/profile.ts";
import { fieldsOf, requiredList } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { itemsPage, pageToken, type SentItem } from "../upstream-page.ts";
import { type PostRead, timesOfView } from "./post-view.ts";

/** Far above the lexicons. */
const maxViews = 1_000;

export const blueskyName = "Bluesky";

type Position = { cursor: unknown; nowMs: number };

/** Drops a pin that is also in its regular position. */
export function blueskyPostPage(
  views: unknown,
  readPost: (view: unknown) => PostRead,
  { cursor, nowMs }: Position,
): UpstreamPage {
  const read = requiredList(views, maxViews, blueskyName).map((view) => ({
    view,
    post: readPost(view),
  }));
  const inPosition = new Set(
    read.flatMap(({ view, post }) => (typeof post === "string" || isPin(view) ? [] : [post.uri])),
  );
  const items = read.flatMap(({ view, post }): SentItem[] => {
    if (typeof post !== "string" && isPin(view) && inPosition.has(post.uri)) return [];
    return [sentPost(post, view, nowMs)];
  });
  return itemsPage(items, { name: blueskyName, ...pageToken(cursor, blueskyName), nowMs });
}

const isPin = (view: unknown): boolean =>
  fieldsOf(fieldsOf(view).reason).$type === "app.bsky.feed.defs#reasonPin";

export function sentPost(post: PostRead, view: unknown, nowMs: number): SentItem {
  if (post === "unreadable") return { kind: "unreadable" };
  if (post === "withheld") return { kind: "withheld", times: timesOfView(view, nowMs) };
  return { kind: "post", post };
}

export function pageOfProfiles(
  views: unknown,
  readProfile: (view: unknown) => Profile | "withheld" | "unreadable",
  { cursor, nowMs }: Position,
): UpstreamPage {
  const items = requiredList(views, maxViews, blueskyName).map((view): SentItem => {
    const profile = readProfile(view);
    if (profile === "unreadable") return { kind: "unreadable" };
    return profile === "withheld"
      ? { kind: "withheld", times: null }
      : { kind: "profile", profile };
  });
  return itemsPage(items, { name: blueskyName, ...pageToken(cursor, blueskyName), nowMs });
}
