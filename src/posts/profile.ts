import type { Platform } from "./post.ts";

export type Profile = {
  platform: Platform;
  userId: string;
  username: string;
  name: string | null;
  description: string | null;
  url: string | null;
  avatarUrl: string | null;
  bannerUrl: string | null;
  location: string | null;
  createdAt: string | null;
  verified: boolean | null;
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

export type Trend = {
  platform: Platform;
  rank: number;
  name: string;
  url: string | null;
  posts: number | null;
  category: string | null;
  startedAt: string | null;
};

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
