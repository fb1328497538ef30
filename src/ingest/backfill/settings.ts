import { url, urlListOrNone } from "../../lib/settings/network-kinds.ts";
import { count, duration, secret } from "../../lib/settings/setting.ts";

export const backfillSettings = {
  plcUrl: url(
    "EARSHOT_PLC_URL",
    "https://plc.directory",
    ["https:", "http:"],
    "The directory of Bluesky accounts and their servers.",
  ),
  requestsPerSecond: count(
    "EARSHOT_BACKFILL_REQUESTS_PER_SECOND",
    5,
    [1, 1_000],
    "Requests per second to one host.",
  ),
  accountsAtOnce: count(
    "EARSHOT_BACKFILL_ACCOUNTS_AT_ONCE",
    4,
    [1, 64],
    "Accounts that are read concurrently.",
  ),
  maxRepositoryBytes: count(
    "EARSHOT_BACKFILL_MAX_REPOSITORY_BYTES",
    128 * 1024 ** 2,
    [1_024, 4 * 1024 ** 3],
    "Largest repository that is read in memory; posts of larger ones are listed page by page.",
  ),
  maxPosts: count(
    "EARSHOT_BACKFILL_MAX_POSTS",
    5_000_000,
    [1, 1_000_000_000],
    "Maximum number of posts of one account.",
  ),
  repositoryTimeoutMs: duration(
    "EARSHOT_BACKFILL_REPOSITORY_TIMEOUT",
    600_000,
    1,
    "Time limit for downloading a whole repository.",
  ),
  privateHosts: urlListOrNone(
    "EARSHOT_BACKFILL_PRIVATE_HOSTS",
    [],
    ["https:", "http:"],
    "Account servers at private addresses to which requests are allowed.",
  ),
  streamLookbackMs: duration(
    "EARSHOT_BACKFILL_STREAM_LOOKBACK",
    36 * 3_600_000,
    0,
    "Lookback of the live stream's servers; older events come from the network's archive.",
  ),
  replayUrl: url(
    "EARSHOT_NETWORK_REPLAY_URL",
    "https://jetstream.us-east.bsky.network",
    ["https:", "http:"],
    "The Jetstream server whose archive `earshot backfill --replay` reads.",
  ),
  replayToken: secret(
    "EARSHOT_NETWORK_REPLAY_TOKEN",
    "The token for the Jetstream archive, from https://bsky.network/account.",
  ),
};

export const backfillLimits = {
  timeoutMs: 30_000,
};
