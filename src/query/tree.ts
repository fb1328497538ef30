/** Where a node stands in the query text: offset and length in Unicode code points. */
export type Span = { offset: number; length: number };

/** Counts that a threshold can be put on. */
export type CountMetric = "likes" | "reposts" | "replies" | "quotes";

/** Properties that a post has or has not: `filter:`, `is:` and `has:` lead here. */
export type PostProperty = "retweets" | "safe";

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
  | { kind: "mention"; user: string; span: Span }
  | { kind: "from"; user: string; span: Span }
  | { kind: "to"; user: string; span: Span }
  /** Lower-cased BCP 47 tag, aliases resolved (`iw` is `he`). */
  | { kind: "lang"; code: string; span: Span }
  /** Unix milliseconds; since is inclusive, until exclusive. */
  | { kind: "since"; ms: number; span: Span }
  | { kind: "until"; ms: number; span: Span }
  | { kind: "property"; property: PostProperty; span: Span }
  | { kind: "min-count"; metric: CountMetric; atLeast: number; span: Span }
  | { kind: "geocode"; lat: number; lon: number; radiusKm: number; span: Span }
  | { kind: "url"; text: string; span: Span }
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
