import type { Platform } from "../lib/platform.ts";

/** Where a node stands in the query text: offset and length in Unicode code points. */
export type Span = { offset: number; length: number };

/** Counts that a threshold can be put on. */
export const countMetrics = ["likes", "reposts", "replies", "quotes"] as const;
export type CountMetric = (typeof countMetrics)[number];

/** Properties that a post has or has not, by the names that `filter:` has for them; `is:` and `has:` lead here too. */
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

/** Relations of a post to another: part of its conversation, an answer to it, a quote of it, a repost of it. */
export type PostRelation = "conversation_id" | "in_reply_to" | "quoted" | "retweets_of_tweet_id";

/**
 * The tree of a query: what was written, resolved as far as the text alone allows. `and` and `or` hold two or more children;
 * a child of the same kind is merged into its parent.
 */
export type QueryNode =
  | { kind: "and"; children: readonly QueryNode[]; span: Span }
  | { kind: "or"; children: readonly QueryNode[]; span: Span }
  | { kind: "not"; child: QueryNode; span: Span }
  | QueryLeaf;

export type QueryLeaf =
  /** A bare word; `state-of-the-art` is one word whose parts must stand side by side. */
  | { kind: "word"; text: string; span: Span }
  /** A quoted phrase, without its quotes; a lone `*` in it stands for exactly one token. */
  | { kind: "phrase"; text: string; span: Span }
  /** Without the sigil, folded to lower case (NFKC). */
  | { kind: "hashtag"; tag: string; span: Span }
  | { kind: "cashtag"; symbol: string; span: Span }
  | { kind: "mention"; user: string; span: Span }
  | { kind: "from"; user: string; span: Span }
  | { kind: "to"; user: string; span: Span }
  /** The account whose post is quoted, or reposted. */
  | { kind: "quoted-user"; user: string; span: Span }
  | { kind: "retweets-of"; user: string; span: Span }
  /** A post by its ID, uri or address, as written. */
  | { kind: "related"; relation: PostRelation; post: string; span: Span }
  /** Lower-cased BCP 47 tag, aliases resolved (`iw` is `he`). */
  | { kind: "lang"; code: string; span: Span }
  /** Unix milliseconds; since is inclusive, until exclusive. */
  | { kind: "since"; ms: number; span: Span }
  | { kind: "until"; ms: number; span: Span }
  /** The last milliseconds before the search was submitted. */
  | { kind: "within"; ms: number; span: Span }
  /** IDs in decimal digits; since is exclusive, max inclusive. */
  | { kind: "since-id"; id: string; span: Span }
  | { kind: "max-id"; id: string; span: Span }
  | { kind: "property"; property: PostProperty; span: Span }
  | { kind: "min-count"; metric: CountMetric; atLeast: number; span: Span }
  | { kind: "geocode"; lat: number; lon: number; radiusKm: number; span: Span }
  | { kind: "url"; text: string; span: Span }
  /** A host name, lower-cased, in Unicode; its subdomains are meant too. */
  | { kind: "domain"; host: string; span: Span }
  | { kind: "platform"; platform: Platform; span: Span }
  /** Lower-cased. */
  | { kind: "label"; label: string; span: Span }
  /** The name of an app, as written. */
  | { kind: "source"; name: string; span: Span }
  /** In its plain form, without a nose. */
  | { kind: "emoticon"; text: string; span: Span }
  | { kind: "question"; span: Span };

/** A fault or a remark about a query. An error keeps the query from running, a warning does not. */
export type Diagnostic = {
  severity: "error" | "warning";
  /** Stable snake_case name; each has an entry in docs/query-language.md. */
  code: string;
  offset: number;
  length: number;
  message: string;
  hint?: string;
  expected?: readonly string[];
};

export type ParsedQuery = { tree: QueryNode; warnings: readonly Diagnostic[] };
