import type { Trend } from "../../posts/profile.ts";
import { asFields } from "../fields.ts";
import { firstPresent, nonEmptyText, readCount } from "./json.ts";

export function readTrend(value: unknown, rank: number): Trend | null {
  const name = nonEmptyText(asFields(value).trend_name, 500);
  if (name === null) return null;
  return {
    platform: "x",
    rank,
    name,
    url: `https://x.com/search?q=${encodeURIComponent(name)}`,
    posts: readCount(firstPresent(value, "tweet_count", "post_count")),
    category: null,
    startedAt: null,
  };
}
