import type { FollowedWord } from "../../platforms/bluesky/collections.ts";

/** What the servers that are called are told of who calls. */
export const userAgent = "earshot/0.1";

export type JetstreamSettings = {
  /** Addresses of `/subscribe`; the next one is tried when one does not serve. */
  urls: readonly string[];
  followed: readonly FollowedWord[];
  /** Whether compressed frames are asked for. */
  compress: "on" | "off";
  /** Where the dictionary of compressed frames is fetched from, once. */
  dictionaryUrl: string;
  /** How far back the very first start begins. */
  lookbackMs: number;
  overlapMs: number;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  maxWaitingEvents: number;
  /** Events that are remembered to know them again. */
  maxRememberedEvents: number;
  maxFrameBytes: number;
  handshakeTimeoutMs: number;
  idleTimeoutMs: number;
  leastBackoffMs: number;
  mostBackoffMs: number;
  userAgent: string;
};

export const publicJetstreamUrls: readonly string[] = [
  "wss://jetstream1.us-east.bsky.network/subscribe",
  "wss://jetstream2.us-east.bsky.network/subscribe",
  "wss://jetstream1.us-west.bsky.network/subscribe",
  "wss://jetstream2.us-west.bsky.network/subscribe",
];

export const defaultJetstreamSettings: JetstreamSettings = {
  urls: publicJetstreamUrls,
  followed: ["posts", "likes", "reposts", "profiles"],
  compress: "off",
  dictionaryUrl:
    "https://raw.githubusercontent.com/bluesky-social/jetstream/v0.2.0/internal/subscribe/dictionaries/legacy_subscribe.zdict",
  lookbackMs: 0,
  overlapMs: 5_000,
  batchEvents: 2_000,
  batchMs: 100,
  quietBatchMs: 1_000,
  maxWaitingEvents: 10_000,
  maxRememberedEvents: 250_000,
  maxFrameBytes: 4 * 1024 ** 2,
  handshakeTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
  leastBackoffMs: 250,
  mostBackoffMs: 30_000,
  userAgent,
};
