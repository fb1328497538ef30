import type { Platform } from "../../src/posts/post.ts";

export const platformNames: Readonly<Record<Platform, string>> = {
  bluesky: "Bluesky",
  mastodon: "Mastodon",
  x: "X",
};

const conjunction = new Intl.ListFormat("en", { type: "conjunction" });

/** "Bluesky and Mastodon". */
export function listed(names: readonly string[]): string {
  return conjunction.format(names);
}
