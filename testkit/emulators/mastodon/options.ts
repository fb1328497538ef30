/** How a server of this API may differ from Mastodon; each was seen on one of another family. */
export type Differences = {
  /** Ids are 26 letters and digits instead of a number. */
  ulids: boolean;
  /** What Mastodon shows to everyone needs a user token. */
  readsNeedToken: boolean;
  /** The search covers the user's own posts and mentions. */
  searchesOwn: boolean;
  /** A request that does not say by which program it is sent is refused. */
  needsUserAgent: boolean;
  /** The address of the stream is wss://, however the server itself is reached. */
  streamsAtWss: boolean;
  noEventStream: boolean;
  /** Several statuses at once are refused. */
  noBatch: boolean;
  noTrends: boolean;
  /** Accounts do not say whether they may be searched. */
  noIndexable: boolean;
  noRateHeaders: boolean;
  /** An application gets a token only with the redirect URI that it was registered with. */
  needsRedirectUri: boolean;
  /** Lists do not say where they go on. */
  noLinks: boolean;
  /** Only the older description of the server is there. */
  noInstanceV2: boolean;
};

/** Faults that are made on purpose; a request counts once. */
type Errors = {
  /** Every so many requests, this status. */
  every?: { count: number; status: number };
  /** The answer ends in the middle. */
  truncateEvery?: number;
  /** These answers, in turn, before all others. */
  next?: { status: number; body?: string; headers?: Record<string, string> }[];
};

type Access = "public" | "authenticated" | "disabled";

export type EmulatorOptions = {
  dialect?: "mastodon" | "gotosocial-like";
  differences?: Partial<Differences>;
  version?: string;
  /** The server's name in accounts, where it is not its host. */
  domain?: string;
  hashtagFeeds?: Access;
  /** Whether the server refuses everybody who has no user token of it. */
  isClosed?: boolean;
  /** Whether it has full-text search. */
  hasSearch?: boolean;
  /** Requests that each token, and each address without one, has in a window; paging has a limit of its own. */
  rateLimit?: { requests: number; pagingRequests: number; windowMs: number };
  faults?: Errors;
  /** Unix milliseconds. */
  now?: () => number;
};

const none: Differences = {
  ulids: false,
  readsNeedToken: false,
  searchesOwn: false,
  needsUserAgent: false,
  streamsAtWss: false,
  noEventStream: false,
  noBatch: false,
  noTrends: false,
  noIndexable: false,
  noRateHeaders: false,
  needsRedirectUri: false,
  noLinks: false,
  noInstanceV2: false,
};

const gotosocialLike: Differences = {
  ...none,
  ulids: true,
  readsNeedToken: true,
  searchesOwn: true,
  needsUserAgent: true,
  streamsAtWss: true,
  noEventStream: true,
  noBatch: true,
  noTrends: true,
  noIndexable: true,
  noRateHeaders: true,
  needsRedirectUri: true,
};

/** What an emulator is like; all of it may be changed while it runs. */
export type Character = Required<Omit<EmulatorOptions, "dialect" | "differences" | "domain">> & {
  differences: Differences;
  domain: string | null;
};

export function characterOf(options: EmulatorOptions): Character {
  const isOther = options.dialect === "gotosocial-like";
  return {
    differences: { ...(isOther ? gotosocialLike : none), ...options.differences },
    version: options.version ?? (isOther ? "0.18.1+git-8a7f3b2" : "4.5.2"),
    domain: options.domain ?? null,
    hashtagFeeds: options.hashtagFeeds ?? "public",
    isClosed: options.isClosed ?? false,
    hasSearch: options.hasSearch ?? true,
    rateLimit: options.rateLimit ?? { requests: 300, pagingRequests: 300, windowMs: 300_000 },
    faults: options.faults ?? {},
    now: options.now ?? Date.now,
  };
}
