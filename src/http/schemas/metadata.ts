import * as z from "zod";
import { platforms } from "../../posts/post.ts";

const text = z.string();
const textOrNull = z.string().nullable();
const flagOrNull = z.boolean().nullable();
const countOrNull = z.int().nullable();
const platform = z.enum(platforms);

const reference = z
  .looseObject({
    id: textOrNull,
    uri: textOrNull,
    username: textOrNull.optional(),
    user_id: textOrNull.optional(),
  })
  .nullable();

const postMetadata = z
  .looseObject({
    platform,
    url: textOrNull,
    uri: text,
    created_at: text,
    username: text,
    author: textOrNull,
    author_verified: flagOrNull,
    user_id: textOrNull,
    lang: textOrNull,
    langs: z.array(text),
    lang_detected: z.boolean(),
    conversation_id: textOrNull,
    in_reply_to: reference,
    quoted: reference,
    reposted: reference,
    is_reply: z.boolean(),
    is_quote: z.boolean(),
    is_retweet: z.boolean(),
    hashtags: z.array(text),
    mentions: z.array(z.unknown()),
    urls: z.array(text),
    media: z.array(z.looseObject({ type: text, url: textOrNull, alt: textOrNull })),
    geo: z.looseObject({ lat: z.number(), lon: z.number() }).nullable(),
    labels: z.array(text),
    possibly_sensitive: flagOrNull,
    source: textOrNull,
    public_metrics: z.looseObject({
      like_count: countOrNull,
      retweet_count: countOrNull,
      reply_count: countOrNull,
      quote_count: countOrNull,
    }),
    origin: z.enum(["stream", "backfill", "import", "upstream"]),
  })
  .meta({ id: "Metadata", description: "Metadata of a post." });

const idsMetadata = z
  .looseObject({
    kind: z.literal("ids"),
    platform,
    url: textOrNull,
    uri: text,
    user_id: textOrNull,
  })
  .meta({
    id: "IdsMetadata",
    description:
      "Metadata of a post whose platform allows only its ID to be shown: the fields of a post, null or empty.",
    examples: [
      {
        kind: "ids",
        platform: "x",
        url: "https://x.com/i/status/20",
        uri: "https://x.com/i/status/20",
        user_id: "12",
      },
    ],
  });

const profileMetadata = z
  .looseObject({
    kind: z.literal("profile"),
    platform,
    url: textOrNull,
    created_at: textOrNull,
    username: text,
    author: textOrNull.meta({ description: "The display name." }),
    author_verified: flagOrNull,
    user_id: text,
    avatar_url: textOrNull,
    banner_url: textOrNull,
    location: textOrNull,
    is_protected: flagOrNull,
    is_bot: flagOrNull,
    labels: z.array(text),
    public_metrics: z.looseObject({
      followers_count: countOrNull,
      following_count: countOrNull,
      tweet_count: countOrNull,
      listed_count: countOrNull,
    }),
  })
  .meta({
    id: "ProfileMetadata",
    description: "Metadata of an account.",
    examples: [
      {
        kind: "profile",
        platform: "bluesky",
        url: "https://bsky.app/profile/did:plc:ann",
        created_at: "2023-04-12T04:53:57.057Z",
        username: "ann.example",
        author: "Ann",
        author_verified: null,
        user_id: "did:plc:ann",
        avatar_url: null,
        banner_url: null,
        location: null,
        is_protected: false,
        is_bot: null,
        labels: [],
        public_metrics: {
          followers_count: 240,
          following_count: 310,
          tweet_count: 1_204,
          listed_count: null,
        },
      },
    ],
  });

const trendMetadata = z
  .looseObject({
    kind: z.literal("trend"),
    platform,
    url: textOrNull,
    created_at: textOrNull,
    rank: z.int(),
    category: textOrNull,
    public_metrics: z.looseObject({ tweet_count: countOrNull }),
  })
  .meta({
    id: "TrendMetadata",
    description: "Metadata of a trend.",
    examples: [
      {
        kind: "trend",
        platform: "bluesky",
        url: "https://bsky.app/profile/trending.bsky.app/feed/1",
        created_at: "2026-01-31T09:00:00Z",
        rank: 1,
        category: "science",
        public_metrics: { tweet_count: 4_100 },
      },
    ],
  });

const spaceMetadata = z
  .looseObject({
    kind: z.literal("space"),
    platform,
    url: textOrNull,
    created_at: textOrNull,
    state: textOrNull,
    lang: textOrNull,
    host_ids: z.array(text),
    speaker_ids: z.array(text),
    scheduled_at: textOrNull,
    started_at: textOrNull,
    ended_at: textOrNull,
    public_metrics: z.looseObject({ participant_count: countOrNull }),
  })
  .meta({
    id: "SpaceMetadata",
    description: "Metadata of a live audio conversation.",
    examples: [
      {
        kind: "space",
        platform: "x",
        url: "https://x.com/i/spaces/1YqKDqWqdPLsV",
        created_at: "2026-01-31T11:00:00Z",
        state: "live",
        lang: "en",
        host_ids: ["12"],
        speaker_ids: ["12", "13"],
        scheduled_at: null,
        started_at: "2026-01-31T12:00:00Z",
        ended_at: null,
        public_metrics: { participant_count: 40 },
      },
    ],
  });

/** Full posts have no `kind`; other records have their own. */
export const metadata = z.union([
  postMetadata,
  idsMetadata,
  profileMetadata,
  trendMetadata,
  spaceMetadata,
]);
