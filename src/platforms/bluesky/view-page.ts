import type { Profile } from "../../posts/profile.ts";
import { fieldsOf, requiredList } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { pageOf, pageToken, type SentItem } from "../upstream-page.ts";
import { type ReadPost, timesOfView } from "./post-view.ts";

/** Far above the lexicons. */
const mostViews = 1_000;

export const name = "Bluesky";

type Position = { cursor: unknown; nowMs: number };

/** Drops a pin if the page also has the post in its regular position. */
export function pageOfPosts(
  views: unknown,
  readPost: (view: unknown) => ReadPost,
  { cursor, nowMs }: Position,
): UpstreamPage {
  const read = requiredList(views, mostViews, name).map((view) => ({ view, post: readPost(view) }));
  const inPosition = new Set(
    read.flatMap(({ view, post }) => (typeof post === "string" || isPin(view) ? [] : [post.uri])),
  );
  const sent = read.flatMap(({ view, post }): SentItem[] => {
    if (typeof post !== "string" && isPin(view) && inPosition.has(post.uri)) return [];
    return [sentPost(post, view, nowMs)];
  });
  return pageOf(sent, { name, ...pageToken(cursor, name), nowMs });
}

const isPin = (view: unknown): boolean =>
  fieldsOf(fieldsOf(view).reason).$type === "app.bsky.feed.defs#reasonPin";

export function sentPost(post: ReadPost, view: unknown, nowMs: number): SentItem {
  if (post === "unreadable") return { kind: "unreadable" };
  if (post === "withheld") return { kind: "withheld", times: timesOfView(view, nowMs) };
  return { kind: "post", post };
}

export function pageOfProfiles(
  views: unknown,
  readProfile: (view: unknown) => Profile | "withheld" | "unreadable",
  { cursor, nowMs }: Position,
): UpstreamPage {
  const sent = requiredList(views, mostViews, name).map((view): SentItem => {
    const profile = readProfile(view);
    if (profile === "unreadable") return { kind: "unreadable" };
    return profile === "withheld"
      ? { kind: "withheld", times: null }
      : { kind: "profile", profile };
  });
  return pageOf(sent, { name, ...pageToken(cursor, name), nowMs });
}
