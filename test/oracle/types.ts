/** Another post, as far as a record names it. */
export type PostReference = {
  id?: string | null;
  uri?: string | null;
  username?: string | null;
  user_id?: string | null;
};

/** What the oracle is given of a post: the record as the API returns it, and what a record does not show. */
export type OraclePost = {
  ID: string;
  Content: string;
  Metadata: {
    platform: string;
    url: string | null;
    uri: string;
    created_at: string;
    username: string;
    author: string | null;
    author_verified: boolean | null;
    user_id: string | null;
    lang: string | null;
    langs: string[];
    lang_detected: boolean;
    conversation_id: string | null;
    in_reply_to: PostReference | null;
    quoted: PostReference | null;
    reposted: PostReference | null;
    is_reply: boolean;
    is_quote: boolean;
    is_retweet: boolean;
    hashtags: string[];
    mentions: string[];
    urls: string[];
    media: { type: string; url?: string | null; alt?: string | null }[];
    geo: { lat: number; lon: number } | null;
    labels: string[];
    possibly_sensitive: boolean | null;
    source: string | null;
    public_metrics: {
      like_count: number | null;
      retweet_count: number | null;
      reply_count: number | null;
      quote_count: number | null;
    };
  };
  /** Account ids of the mentions, in the same order; null where unknown. */
  mention_ids: (string | null)[];
  /** Unix ms: the time of the post (claimed, or seen when that is earlier). */
  time_ms: number;
};

/** What a query is read against besides the post itself. */
export type OracleAround = {
  /** Unix ms: when the search was submitted. */
  asOfMs: number;
  /** Accounts that are known by having written a post. */
  authors: { platform: string; user_id: string | null; handle: string }[];
  /** All posts that are held, for operators that name a post by its ID. */
  posts: OraclePost[];
};
