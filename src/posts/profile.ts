import type { Platform } from "./post.ts";

/**
 * An account of any platform, as its source shows it; null where the source does not tell. `userId` is its identity on its
 * platform. Times are as received.
 */
export type Profile = {
  platform: Platform;
  userId: string;
  /** Without the leading `@`. */
  username: string;
  name: string | null;
  /** As text: markup of the source is taken out. */
  description: string | null;
  url: string | null;
  avatarUrl: string | null;
  bannerUrl: string | null;
  location: string | null;
  createdAt: string | null;
  verified: boolean | null;
  /** Whether it shows its posts only to those it lets follow it. */
  isProtected: boolean | null;
  isBot: boolean | null;
  labels: readonly string[];
  counts: {
    followers: number | null;
    following: number | null;
    posts: number | null;
    listed: number | null;
  };
};

/** Something that many speak of, in the order in which the platform ranks it (1 first). */
export type Trend = {
  platform: Platform;
  rank: number;
  name: string;
  url: string | null;
  posts: number | null;
  category: string | null;
  startedAt: string | null;
};

/** A live audio conversation. */
export type Space = {
  platform: Platform;
  id: string;
  title: string | null;
  state: string | null;
  url: string | null;
  hostIds: readonly string[];
  speakerIds: readonly string[];
  participants: number | null;
  lang: string | null;
  createdAt: string | null;
  scheduledAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
};
