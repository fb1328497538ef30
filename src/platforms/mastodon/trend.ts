import { stripControls } from "../../lib/controls.ts";
import type { Trend } from "../../posts/profile.ts";
import { asFields, list, string } from "../fields.ts";
import { webAddress } from "./web-address.ts";

/** `posts` sums the reported days. */
export function readTagTrend(value: unknown, rank: number): Trend | null {
  const tag = asFields(value);
  const name = stripControls(string(tag.name, 640) ?? "").trim();
  if (name === "") return null;
  return {
    platform: "mastodon",
    rank,
    name: `#${name.replace(/^#/, "")}`,
    url: webAddress(tag.url),
    posts: sumUses(tag.history),
    category: null,
    startedAt: null,
  };
}

function sumUses(history: unknown): number | null {
  const uses = list(history, 31).map((day) => Number(asFields(day).uses));
  const counts = uses.filter((count) => Number.isSafeInteger(count) && count >= 0);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}
