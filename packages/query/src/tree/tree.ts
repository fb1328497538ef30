import type { Platform } from "./platform.ts";

/** In Unicode code points. */
export type QuerySpan = { offset: number; length: number };

export const countMetrics = ["likes", "reposts", "replies", "quotes"] as const;
export type CountMetric = (typeof countMetrics)[number];

/** Names for `filter:`, which `is:` and `has:` also accept. */
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
 * Resolved as far as possible without an archive. `and` and `or` have at least two children, of
 * other kinds.
 */
export type QueryNode =
  | { kind: "and"; children: readonly QueryNode[]; span: QuerySpan }
  | { kind: "or"; children: readonly QueryNode[]; span: QuerySpan }
  | { kind: "not"; child: QueryNode; span: QuerySpan }
  | QueryLeaf;

export type QueryLeaf =
  | { kind: "word"; text: string; span: QuerySpan }
  /** A separate `*` matches exactly one token. */
  | { kind: "phrase"; text: string; span: QuerySpan }
  /** Without the sigil, in NFKC and lower case. */
  | { kind: "hashtag"; tag: string; span: QuerySpan }
  | { kind: "cashtag"; symbol: string; span: QuerySpan }
  | { kind: "mention"; user: string; span: QuerySpan }
  | { kind: "from"; user: string; span: QuerySpan }
  | { kind: "to"; user: string; span: QuerySpan }
  /** The author of the quoted or reposted post. */
  | { kind: "quoted-user"; user: string; span: QuerySpan }
  | { kind: "retweets-of"; user: string; span: QuerySpan }
  /** An ID, uri or URL, as written in the query. */
  | { kind: "related"; relation: PostRelation; post: string; span: QuerySpan }
  /** A BCP 47 tag in lower case, with aliases resolved (`iw` is `he`). */
  | { kind: "lang"; code: string; span: QuerySpan }
  /** Unix milliseconds; `since` is inclusive, `until` exclusive. */
  | { kind: "since"; ms: number; span: QuerySpan }
  | { kind: "until"; ms: number; span: QuerySpan }
  /** The last `ms` milliseconds before submission. */
  | { kind: "within"; ms: number; span: QuerySpan }
  /** Decimal IDs; `since-id` is exclusive, `max-id` inclusive. */
  | { kind: "since-id"; id: string; span: QuerySpan }
  | { kind: "max-id"; id: string; span: QuerySpan }
  | { kind: "property"; property: PostProperty; span: QuerySpan }
  | { kind: "min-count"; metric: CountMetric; atLeast: number; span: QuerySpan }
  | { kind: "geocode"; lat: number; lon: number; radiusKm: number; span: QuerySpan }
  | { kind: "url"; text: string; span: QuerySpan }
  /** A host in lower case and Unicode; includes its subdomains. */
  | { kind: "domain"; host: string; span: QuerySpan }
  | { kind: "platform"; platform: Platform; span: QuerySpan }
  | { kind: "label"; label: string; span: QuerySpan }
  | { kind: "source"; name: string; span: QuerySpan }
  /** Written without a nose. */
  | { kind: "emoticon"; text: string; span: QuerySpan }
  | { kind: "question"; span: QuerySpan };

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

export function makeAnd(children: readonly QueryNode[], span: QuerySpan): QueryNode | null {
  const merged = children.flatMap((child) => (child.kind === "and" ? child.children : [child]));
  if (merged.length < 2) return merged[0] ?? null;
  return { kind: "and", children: merged, span };
}

export function makeOr(children: readonly QueryNode[], span: QuerySpan): QueryNode | null {
  const merged = children.flatMap((child) => (child.kind === "or" ? child.children : [child]));
  if (merged.length < 2) return merged[0] ?? null;
  return { kind: "or", children: merged, span };
}

export function makeNot(child: QueryNode, span: QuerySpan): QueryNode {
  return child.kind === "not" ? child.child : { kind: "not", child, span };
}
