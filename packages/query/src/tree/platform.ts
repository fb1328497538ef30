/** Each has a folder under `platforms/`. */
export const platforms = ["bluesky", "mastodon", "x"] as const;
export type Platform = (typeof platforms)[number];
