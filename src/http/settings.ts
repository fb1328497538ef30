import { longestArchiveQuery, longestLiveQuery } from "@earshot/query";
import { apiKey } from "../accounts/setting-kinds.ts";
import { addressList, originList, publicUrl } from "../lib/settings/network-kinds.ts";
import { count, duration, text } from "../lib/settings/setting.ts";
import { liveWindowMs } from "../platforms/methods.ts";

export const httpSettings = {
  host: text("EARSHOT_HOST", "127.0.0.1", "a host name or address", "Address to listen on."),
  port: count("EARSHOT_PORT", 8080, [0, 65_535], "Port to listen on; 0 selects a free one."),
  publicUrl: publicUrl(
    "EARSHOT_PUBLIC_URL",
    "The URL of the server as users see it. Required for the dashboard behind a proxy.",
  ),
  trustedProxies: addressList(
    "EARSHOT_TRUSTED_PROXIES",
    "Proxies whose `X-Forwarded-For` is trusted.",
  ),
  corsOrigins: originList(
    "EARSHOT_CORS_ORIGINS",
    "Origins of web pages that are allowed to call the API (`/v1`, `/api/v1`) from a browser with a key.",
  ),
  openNodeKey: apiKey(
    "EARSHOT_OPEN_NODE_KEY",
    "Key for requests to `POST /api/v1/data/:platform/tweets/recent` that have none. Anyone who reaches the server can then search there.",
  ),
  maxBodyBytes: count(
    "EARSHOT_MAX_BODY_BYTES",
    65_536,
    [1_024, 16_777_216],
    "Maximum size of a request body.",
  ),
  maxHeaderBytes: count(
    "EARSHOT_MAX_HEADER_BYTES",
    16_384,
    [8_192, 1_048_576],
    "Maximum combined size of the request line and headers.",
  ),
  maxConnections: count(
    "EARSHOT_MAX_CONNECTIONS",
    10_000,
    [1, 1_000_000],
    "Maximum number of open connections; requests on further ones get 503.",
  ),
  connectionShare: count(
    "EARSHOT_CONNECTION_SHARE",
    25,
    [1, 100],
    "Percentage of `EARSHOT_MAX_CONNECTIONS` that one address (IPv6: a /64 network) may have. Trusted proxies are exempt.",
  ),
  requestTimeoutMs: duration(
    "EARSHOT_REQUEST_TIMEOUT",
    30_000,
    1_000,
    "Maximum time for a request to arrive completely.",
  ),
  idleTimeoutMs: duration(
    "EARSHOT_IDLE_TIMEOUT",
    72_000,
    1_000,
    "Time after which an idle connection is closed, between requests or because the client does not read.",
  ),
  maxWaitingRequests: count(
    "EARSHOT_MAX_WAITING_REQUESTS",
    32,
    [0, 10_000],
    "Maximum number of waiting requests and event streams of a key.",
  ),
  maxStreamMs: duration(
    "EARSHOT_MAX_STREAM_TIME",
    900_000,
    1_000,
    "Maximum duration of an event stream; the client then reconnects and resumes.",
  ),
  stopNoticeMs: duration(
    "EARSHOT_STOP_NOTICE",
    0,
    0,
    "How long `/readyz` returns 503 before a shutdown begins: longer than a load balancer takes to notice.",
  ),
  stopGraceMs: duration(
    "EARSHOT_STOP_GRACE",
    3_000,
    0,
    "How long a shutdown waits for open requests and running searches; it ends at most 1.5 s later.",
  ),
};

export const httpLimits = {
  /** Requests that would wait longer are rejected. */
  maxReadWaitMs: 2_000,
};

export const searchSettings = {
  liveWindowMs: duration(
    "EARSHOT_LIVE_WINDOW",
    liveWindowMs,
    1_000,
    "How far back `searchbyquery` searches.",
  ),
  countDeadlineMs: duration(
    "EARSHOT_COUNT_DEADLINE",
    10_000,
    100,
    "Time limit of a count, which then returns what it has counted.",
  ),
  maxCountBuckets: count(
    "EARSHOT_MAX_COUNT_BUCKETS",
    44_640,
    [1, 1_000_000],
    "Maximum number of buckets on a page of counts.",
  ),
};

export const searchLimits = {
  maxLiveQueryLength: longestLiveQuery,
  maxArchiveQueryLength: longestArchiveQuery,
};
