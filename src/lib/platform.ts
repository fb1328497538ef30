/** The platforms whose posts Earshot knows. A folder of the same name under `platforms/` speaks to each. */
export const platforms = ["bluesky", "mastodon", "x"] as const;
export type Platform = (typeof platforms)[number];
