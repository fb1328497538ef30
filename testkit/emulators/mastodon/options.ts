/** How servers of other software differ from Mastodon; each was observed. */
export type Differences = {
  /** IDs are 26 letters and digits instead of numbers. */
  ulids: boolean;
  readsNeedToken: boolean;
  searchesOwnOnly: boolean;
  needsUserAgent: boolean;
  /** Streams use wss, regardless of the server's scheme. */
  streamsAtWss: boolean;
  noEventStream: boolean;
  noBatch: boolean;
  noTrends: boolean;
  noIndexable: boolean;
  noRateHeaders: boolean;
  needsRedirectUri: boolean;
  noLinks: boolean;
  noInstanceV2: boolean;
};

type InjectedErrors = {
  /** One request in `count` gets this status. */
  periodicError?: { count: number; status: number };
  truncateEvery?: number;
  nextResponses?: { status: number; body?: string; headers?: Record<string, string> }[];
};

type Access = "public" | "authenticated" | "disabled";

export type EmulatorOptions = {
  dialect?: "mastodon" | "gotosocial-like";
  differences?: Partial<Differences>;
  version?: string;
  domain?: string;
  hashtagFeeds?: Access;
  /** All routes need a user token. */
  isClosed?: boolean;
  hasSearch?: boolean;
  /** Limits per token or address; paging has a separate limit. */
  rateLimit?: { requests: number; pagingRequests: number; windowMs: number };
  faults?: InjectedErrors;
  now?: () => number;
};

const noDifferences: Differences = {
  ulids: false,
  readsNeedToken: false,
  searchesOwnOnly: false,
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
  ...noDifferences,
  ulids: true,
  readsNeedToken: true,
  searchesOwnOnly: true,
  needsUserAgent: true,
  streamsAtWss: true,
  noEventStream: true,
  noBatch: true,
  noTrends: true,
  noIndexable: true,
  noRateHeaders: true,
  needsRedirectUri: true,
};

export type EmulatorSettings = Required<
  Omit<EmulatorOptions, "dialect" | "differences" | "domain">
> & {
  differences: Differences;
  domain: string | null;
};

export function emulatorSettings(options: EmulatorOptions): EmulatorSettings {
  const isGotosocialLike = options.dialect === "gotosocial-like";
  return {
    differences: { ...(isGotosocialLike ? gotosocialLike : noDifferences), ...options.differences },
    version: options.version ?? (isGotosocialLike ? "0.18.1+git-8a7f3b2" : "4.5.2"),
    domain: options.domain ?? null,
    hashtagFeeds: options.hashtagFeeds ?? "public",
    isClosed: options.isClosed ?? false,
    hasSearch: options.hasSearch ?? true,
    rateLimit: options.rateLimit ?? { requests: 300, pagingRequests: 300, windowMs: 300_000 },
    faults: options.faults ?? {},
    now: options.now ?? Date.now,
  };
}
