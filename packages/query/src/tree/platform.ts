/** Cursors contain positions in this list, so only append to it. */
export const platformTitles = {
  bluesky: "Bluesky",
  mastodon: "Mastodon",
  x: "X",
} as const;

export type Platform = keyof typeof platformTitles;

export const platforms = Object.keys(platformTitles) as readonly Platform[];

export const byPlatform = <Value>(
  make: (platform: Platform) => Value,
): Readonly<Record<Platform, Value>> =>
  Object.fromEntries(platforms.map((platform) => [platform, make(platform)])) as Record<
    Platform,
    Value
  >;
