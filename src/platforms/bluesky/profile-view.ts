import type { Profile } from "../../posts/profile.ts";
import { asFields, string } from "../fields.ts";
import { isHttpUrl } from "../identity.ts";
import { parseIsoTime } from "../time.ts";
import { readAuthorView, readViewCount } from "./author-view.ts";
import { isAccountWithheld } from "./view-labels.ts";

/** Bluesky's lexicon limits the bytes; this limits the UTF-16 code units. */
const maxDescriptionLength = 2_560;
const maxUrlLength = 8_192;

export function readProfileView(
  value: unknown,
  nowMs: number,
): Profile | "withheld" | "unreadable" {
  const author = readAuthorView(value, nowMs);
  if (author === null) return "unreadable";
  if (isAccountWithheld(author.labels)) return "withheld";
  const view = asFields(value);
  return {
    platform: "bluesky",
    userId: author.did,
    username: author.handle ?? author.did,
    name: author.name,
    description: string(view.description, maxDescriptionLength) || null,
    url: `https://bsky.app/profile/${author.did}`,
    avatarUrl: readViewUrl(view.avatar),
    bannerUrl: readViewUrl(view.banner),
    location: null,
    createdAt: readTimeText(view.createdAt),
    verified: author.verified,
    // Bluesky accounts are public.
    isProtected: false,
    isBot: author.labels.includes("bot") ? true : null,
    labels: author.labels,
    counts: {
      followers: readViewCount(view.followersCount),
      following: readViewCount(view.followsCount),
      posts: readViewCount(view.postsCount),
      listed: null,
    },
  };
}

export function readViewUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > maxUrlLength || !isHttpUrl(value)) return null;
  return value.toWellFormed();
}

export function readTimeText(value: unknown): string | null {
  const text = string(value, 64);
  return text !== null && parseIsoTime(text) !== null ? text : null;
}
