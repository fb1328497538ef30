import { url, urlListOrNone, urlOrNone } from "../lib/settings/network-kinds.ts";
import { choice, count, duration, text } from "../lib/settings/setting.ts";
import { platforms } from "../posts/post.ts";

const requestSettings = {
  defaultPlatform: choice(
    "EARSHOT_DEFAULT_PLATFORM",
    "bluesky",
    platforms,
    "The platform for `social` when neither query nor path names one.",
  ),
  timeoutMs: duration(
    "EARSHOT_UPSTREAM_TIMEOUT",
    10_000,
    1,
    "Time limit of a request to a platform.",
  ),
  maxResponseBytes: count(
    "EARSHOT_UPSTREAM_MAX_BYTES",
    4 * 1024 ** 2,
    [1_024, 1024 ** 3],
    "Maximum size of a platform's response.",
  ),
  tries: count(
    "EARSHOT_UPSTREAM_TRIES",
    3,
    [1, 10],
    "Maximum attempts for a request to a platform, which is repeated after a failed connection, a timeout, a truncated response, or a status of 500 or above.",
  ),
  maxPages: count(
    "EARSHOT_UPSTREAM_MAX_PAGES",
    20,
    [1, 1_000],
    "Maximum number of a platform's pages that a job reads; its cursor continues after them.",
  ),
  searchWaitMs: duration(
    "EARSHOT_UPSTREAM_SEARCH_WAIT",
    10_000,
    0,
    "How long a search waits for a platform's rate limit before it answers without the platform.",
  ),
  dispatchesPerSecond: count(
    "EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND",
    3,
    [1, 10_000],
    "Jobs per second for which a node starts requests to platforms; more are queued.",
  ),
  privateHosts: urlListOrNone(
    "EARSHOT_UPSTREAM_PRIVATE_HOSTS",
    [],
    ["https:", "http:"],
    "Platform servers with private addresses that can be called, such as an instance on your own network.",
  ),
};

const credentialSettings = {
  maxCredentials: count(
    "EARSHOT_MAX_CREDENTIALS",
    100,
    [1, 10_000],
    "Maximum number of credentials per platform, for an account or the deployment.",
  ),
  credentialChecksPerMinute: count(
    "EARSHOT_CREDENTIAL_CHECKS_PER_MINUTE",
    20,
    [1, 10_000],
    "Maximum credential checks per account on the dashboard in any 60 seconds.",
  ),
  authorizationMs: duration(
    "EARSHOT_AUTHORIZATION_TIME",
    600_000,
    1_000,
    "Time limit for connecting a platform in a browser.",
  ),
  maxAuthorizationsPerAccount: count(
    "EARSHOT_MAX_AUTHORIZATIONS_PER_ACCOUNT",
    3,
    [1, 100],
    "Maximum pending connections per account; a further one ends the oldest.",
  ),
  maxAuthorizations: count(
    "EARSHOT_MAX_AUTHORIZATIONS",
    200,
    [1, 100_000],
    "Maximum pending connections across all accounts; further ones are refused.",
  ),
};

const platformSettings = {
  blueskyPublic: choice(
    "EARSHOT_BLUESKY_PUBLIC",
    "on",
    ["on", "off"],
    "Whether to use Bluesky's public API, which needs no credential.",
  ),
  blueskySearch: choice(
    "EARSHOT_BLUESKY_SEARCH",
    "off",
    ["on", "off"],
    "Whether searches use Bluesky's `searchPosts`, with a credential, for what the archive lacks. Bluesky intends it for people, not programs.",
  ),
  blueskyFeed: text(
    "EARSHOT_BLUESKY_FEED",
    "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot",
    "the at:// uri of a feed generator",
    "The feed that `getforyoutweets` reads on Bluesky.",
  ),
  mastodonInstance: urlOrNone(
    "EARSHOT_MASTODON_INSTANCE",
    ["https:", "http:"],
    "The Mastodon server to use if neither a credential nor the query names one.",
  ),
  xApiUrl: url("EARSHOT_X_API_URL", "https://api.x.com", ["https:", "http:"], "URL of X's API."),
  xMonthlyPostReads: count(
    "EARSHOT_X_MONTHLY_POST_READS",
    10_000,
    [0, 1_000_000_000],
    "Posts that the deployment's X credentials can read in a calendar month (UTC); X bills each. Accounts' own credentials do not count.",
  ),
  xRedistributionAgreed: choice(
    "EARSHOT_X_REDISTRIBUTION_AGREED",
    "false",
    ["true", "false"],
    "Whether X has agreed that posts fetched with the deployment's credentials may be shown to accounts, which otherwise get IDs only.",
  ),
  xTrendsWoeid: count(
    "EARSHOT_X_TRENDS_WOEID",
    1,
    [1, 1_000_000_000],
    "The WOEID of the place whose trends `gettrends` returns on X; 1 is the world.",
  ),
};

export const upstreamSettings = { ...requestSettings, ...credentialSettings, ...platformSettings };

export const upstreamLimits = {
  /** Twice the values in 500 posts. More would block the event loop. */
  maxAnswerValues: 200_000,
  /** Doubles with each retry, with jitter. */
  retryPauseMs: 500,
  maxRetryPauseMs: 8_000,
  /** Applies after a limit without a reset time; doubles each time, with jitter. */
  limitPauseMs: 1_000,
  maxLimitPauseMs: 60_000,
};
