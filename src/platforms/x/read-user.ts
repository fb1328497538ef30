import type { Profile } from "../../posts/profile.ts";
import { asFields, list, string } from "../fields.ts";
import {
  firstPresent,
  nonEmptyText,
  readBoolean,
  readCount,
  readHttpUrl,
  readIdText,
  readUsername,
} from "./json.ts";

export function readXUser(value: unknown): Profile | null {
  const fields = asFields(value);
  const userId = readIdText(fields.id);
  const username = readUsername(fields.username);
  if (userId === null || username === null) return null;
  const metrics = asFields(fields.public_metrics);
  return {
    platform: "x",
    userId,
    username,
    name: nonEmptyText(fields.name, 1_000),
    description: string(fields.description, 20_000),
    url: ownLink(fields.entities) ?? readHttpUrl(fields.url),
    avatarUrl: readHttpUrl(fields.profile_image_url),
    bannerUrl: readHttpUrl(fields.profile_banner_url),
    location: nonEmptyText(fields.location, 1_000),
    createdAt: nonEmptyText(fields.created_at, 40),
    verified: readBoolean(fields.verified),
    isProtected: readBoolean(fields.protected),
    isBot: null,
    labels: fields.parody === true ? ["parody"] : [],
    counts: {
      followers: readCount(metrics.followers_count),
      following: readCount(metrics.following_count),
      posts: readCount(firstPresent(metrics, "tweet_count", "post_count")),
      listed: readCount(metrics.listed_count),
    },
  };
}

function ownLink(entities: unknown): string | null {
  const [first] = list(asFields(asFields(entities).url).urls, 1);
  const { unwound_url: unwound, expanded_url: expanded } = asFields(first);
  return readHttpUrl(unwound) ?? readHttpUrl(expanded);
}
