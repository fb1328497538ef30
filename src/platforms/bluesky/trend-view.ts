import type { Trend } from "../../posts/profile.ts";
import { asFields, string } from "../fields.ts";
import { readViewCount } from "./author-view.ts";
import { readTimeText, readViewUrl } from "./profile-view.ts";

const maxNameLength = 640;

export function readTrendView(value: unknown, rank: number): Trend | null {
  const { topic, displayName, link, postCount, category, startedAt } = asFields(value);
  const name = string(displayName, maxNameLength) || string(topic, maxNameLength);
  if (!name) return null;
  return {
    platform: "bluesky",
    rank,
    name,
    url: readLink(link),
    posts: readViewCount(postCount),
    category: string(category, maxNameLength) || null,
    startedAt: readTimeText(startedAt),
  };
}

/** A link may be a path in the official app. */
function readLink(value: unknown): string | null {
  if (typeof value !== "string" || !value.startsWith("/")) return readViewUrl(value);
  return value.startsWith("//") ? null : readViewUrl(`https://bsky.app${value}`);
}
