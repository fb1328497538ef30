export type PostReference = {
  id?: string | null;
  uri?: string | null;
  username?: string | null;
  user_id?: string | null;
};

/** A record, with fields that the API does not return. */
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
  /** Null if unknown. */
  mention_ids: (string | null)[];
  /** The earlier of the claimed and the seen time, in Unix milliseconds. */
  time_ms: number;
};

export type OracleContext = {
  /** When the query was submitted, in Unix milliseconds. */
  asOfMs: number;
  /** Accounts with posts. */
  authors: { platform: string; user_id: string | null; handle: string }[];
  /** Posts that operators with an ID may refer to. */
  posts: OraclePost[];
};
