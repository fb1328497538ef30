import * as z from "zod";

const nullishNumber = z.number().nullish();

/** The part of an API record (docs/api.md) that tools use. */
export const apiRecord = z.object({
  ID: z.string(),
  Content: z.string().default(""),
  Metadata: z
    .object({
      kind: z.string().nullish(),
      platform: z.string().nullish(),
      url: z.string().nullish(),
      created_at: z.string().nullish(),
      username: z.string().nullish(),
      author: z.string().nullish(),
      lang: z.string().nullish(),
      conversation_id: z.string().nullish(),
      is_retweet: z.boolean().nullish(),
      in_reply_to: z.object({ id: z.string().nullish() }).nullish(),
      location: z.string().nullish(),
      user_id: z.string().nullish(),
      rank: nullishNumber,
      public_metrics: z
        .object({
          like_count: nullishNumber,
          retweet_count: nullishNumber,
          reply_count: nullishNumber,
          quote_count: nullishNumber,
          followers_count: nullishNumber,
          following_count: nullishNumber,
          tweet_count: nullishNumber,
        })
        .partial()
        .nullish(),
    })
    .nullish(),
});

export type ApiRecord = z.output<typeof apiRecord>;

const nullableNumber = z.number().nullable();

/** A post as tools return it. Unknown values are null. */
export const post = z.object({
  id: z.string(),
  text: z.string(),
  author: z.string().nullable().describe("handle"),
  author_name: z.string().nullable(),
  created_at: z.string().nullable(),
  platform: z.string().nullable(),
  url: z.string().nullable().describe("cite this"),
  lang: z.string().nullable(),
  likes: nullableNumber,
  reposts: nullableNumber,
  replies: nullableNumber,
  in_reply_to: z.string().nullable().describe("id of the post it replies to"),
});

export type ToolPost = z.output<typeof post>;

export function toToolPost({ ID, Content, Metadata }: ApiRecord): ToolPost {
  const metrics = Metadata?.public_metrics;
  return {
    id: ID,
    text: Content,
    author: Metadata?.username ?? null,
    author_name: Metadata?.author ?? null,
    created_at: Metadata?.created_at ?? null,
    platform: Metadata?.platform ?? null,
    url: Metadata?.url ?? null,
    lang: Metadata?.lang ?? null,
    likes: metrics?.like_count ?? null,
    reposts: metrics?.retweet_count ?? null,
    replies: metrics?.reply_count ?? null,
    in_reply_to: Metadata?.in_reply_to?.id ?? null,
  };
}
