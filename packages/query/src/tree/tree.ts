import type { Platform } from "./platform.ts";

/** In Unicode code points. */
export type Span = { offset: number; length: number };

export const countMetrics = ["likes", "reposts", "replies", "quotes"] as const;
export type CountMetric = (typeof countMetrics)[number];

/** By their `filter:` names; `is:` and `has:` use them too. */
export const postProperties = [
  "retweets",
  "nativeretweets",
  "replies",
  "quote",
  "self_threads",
  "safe",
  "verified",
  "links",
  "media",
  "images",
  "videos",
  "hashtags",
  "mentions",
  "cashtags",
  "geo",
  "has_engagement",
] as const;
export type PostProperty = (typeof postProperties)[number];

export type PostRelation = "conversation_id" | "in_reply_to" | "quoted" | "retweets_of_tweet_id";

/**
 * The syntax tree of a query, resolved as far as possible without an archive. `and` and `or` have two or more children, none of
 * their own kind.
 */
export type QueryNode =
  | { kind: "and"; children: readonly QueryNode[]; span: Span }
  | { kind: "or"; children: readonly QueryNode[]; span: Span }
  | { kind: "not"; child: QueryNode; span: Span }
  | QueryLeaf;

export type QueryLeaf =
  /** A bare word; the parts of `state-of-the-art` must be adjacent. */
  | { kind: "word"; text: string; span: Span }
  /** A phrase without its quotes; a separate `*` matches exactly one token. */
  | { kind: "phrase"; text: string; span: Span }
  /** Without the sigil, NFKC, lower case. */
  | { kind: "hashtag"; tag: string; span: Span }
  | { kind: "cashtag"; symbol: string; span: Span }
  | { kind: "mention"; user: string; span: Span }
  | { kind: "from"; user: string; span: Span }
  | { kind: "to"; user: string; span: Span }
  /** The author of the quoted or reposted post. */
  | { kind: "quoted-user"; user: string; span: Span }
  | { kind: "retweets-of"; user: string; span: Span }
  /** An ID, uri or address, as written. */
  | { kind: "related"; relation: PostRelation; post: string; span: Span }
  /** BCP 47 tag in lower case, aliases resolved (`iw` is `he`). */
  | { kind: "lang"; code: string; span: Span }
  /** Unix milliseconds; `since` is inclusive, `until` exclusive. */
  | { kind: "since"; ms: number; span: Span }
  | { kind: "until"; ms: number; span: Span }
  /** The last `ms` milliseconds before submission. */
  | { kind: "within"; ms: number; span: Span }
  /** Decimal IDs; `since-id` is exclusive, `max-id` inclusive. */
  | { kind: "since-id"; id: string; span: Span }
  | { kind: "max-id"; id: string; span: Span }
  | { kind: "property"; property: PostProperty; span: Span }
  | { kind: "min-count"; metric: CountMetric; atLeast: number; span: Span }
  | { kind: "geocode"; lat: number; lon: number; radiusKm: number; span: Span }
  | { kind: "url"; text: string; span: Span }
  /** A host in lower case and Unicode; includes its subdomains. */
  | { kind: "domain"; host: string; span: Span }
  | { kind: "platform"; platform: Platform; span: Span }
  | { kind: "label"; label: string; span: Span }
  | { kind: "source"; name: string; span: Span }
  /** In normal form, without a nose. */
  | { kind: "emoticon"; text: string; span: Span }
  | { kind: "question"; span: Span };

/** An error or warning about a query; only errors prevent it from running. */
export type Diagnostic = {
  severity: "error" | "warning";
  /** Stable; each has an entry in docs/query-language.md. */
  code: string;
  offset: number;
  length: number;
  message: string;
  hint?: string;
  expected?: readonly string[];
};

export type ParsedQuery = { tree: QueryNode; warnings: readonly Diagnostic[] };
