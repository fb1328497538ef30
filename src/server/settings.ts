import { rememberedMs } from "../accounts/closed-identities.ts";
import { keyDefaults } from "../accounts/keys/key.ts";
import { defaultLimits } from "../accounts/limits.ts";
import { sessionDefaults } from "../accounts/sessions/settings.ts";
import { githubUrl, gitlabUrl, signInDefaults } from "../accounts/sign-in/settings.ts";
import { archiveDefaults } from "../archive/settings.ts";
import { jobDefaults } from "../jobs/settings.ts";
import { webhookDefaults } from "../jobs/webhooks/settings.ts";
import { longestArchiveQuery, longestLiveQuery } from "../query/bounds.ts";
import { gatewaySettings, nodeSettings } from "./node-settings.ts";
import {
  addressList,
  allowList,
  apiKey,
  choice,
  count,
  didList,
  duration,
  durationOrNone,
  identityList,
  publicUrl,
  type Setting,
  secret,
  secretKey,
  someOf,
  text,
  url,
  urlList,
  urlListOrNone,
  urlOrNone,
  word,
} from "./setting-kinds.ts";

const dayMs = 86_400_000;

/**
 * Every setting of Earshot: its variable, its default and what it means. The configuration and docs/configuration.md are
 * both made from this table, so a limit that is not here does not exist.
 */
export const settings = {
  data: {
    dir: text("EARSHOT_DATA_DIR", "./.earshot", "a folder", "The folder that holds everything."),
    secretKey: secretKey(
      "EARSHOT_SECRET_KEY",
      "What secrets that have to be read again are sealed with, such as those of webhooks. Without it a key is made once and kept as `secret.key` in the data folder.",
    ),
    segmentPosts: count(
      "EARSHOT_SEGMENT_POSTS",
      1_000_000,
      [1, 100_000_000],
      "Posts that one segment of the archive takes before the next one is begun.",
    ),
    readers: count("EARSHOT_READERS", 2, [1, 64], "Threads that read the archive."),
    detectLanguage: choice(
      "EARSHOT_DETECT_LANGUAGE",
      "on",
      ["on", "off"],
      "Whether the language of a post is detected in its text where its source names none.",
    ),
    maxBytes: count(
      "EARSHOT_ARCHIVE_MAX_BYTES",
      archiveDefaults.maxBytes,
      [10_000_000, 1_000 * 1024 ** 4],
      "Bytes that the archive may take on disk. Above it what streams brought ages out, a segment at a time, oldest first, and imports are refused; what was imported stays.",
    ),
    maxAgeMs: durationOrNone(
      "EARSHOT_ARCHIVE_MAX_AGE",
      3_600_000,
      "How old posts that streams brought may get; a segment goes once all of its posts are older.",
    ),
    countDelayMs: duration(
      "EARSHOT_COUNT_DELAY",
      archiveDefaults.countDelayMs,
      1_000,
      "How long counts of likes, reposts, replies and quotes gather before they are added to their posts.",
    ),
    splitPosts: count(
      "EARSHOT_SPLIT_POSTS",
      archiveDefaults.splitPosts,
      [2, 100_000_000],
      "Posts above which a segment that late posts have filled is split.",
    ),
    optimiseAfterMs: duration(
      "EARSHOT_OPTIMISE_AFTER",
      archiveDefaults.optimiseAfterMs,
      1_000,
      "How long a segment must be left alone before its index is merged into one piece.",
    ),
    arrivalsKept: count(
      "EARSHOT_ARRIVALS_KEPT",
      archiveDefaults.arrivalsKept,
      [1, 1_000_000_000],
      "Newest arrivals that are remembered at least, for those who ask what has come since they last asked.",
    ),
    retiredMs: duration(
      "EARSHOT_RETIRED_TIME",
      archiveDefaults.retiredMs,
      10_000,
      "How long the file of a segment that was rewritten stays for searches that have begun in it; not as long when the archive is over its bytes.",
    ),
  },
  http: {
    host: text("EARSHOT_HOST", "127.0.0.1", "a host name or address", "Address to listen on."),
    port: count("EARSHOT_PORT", 8080, [0, 65_535], "Port to listen on; 0 takes a free one."),
    publicUrl: publicUrl(
      "EARSHOT_PUBLIC_URL",
      "The address that people know the server by, where a proxy stands before it. The dashboard needs it behind a proxy: cookies are kept to TLS and to this host when it begins with https://, and sign-in leads back to it.",
    ),
    trustedProxies: addressList(
      "EARSHOT_TRUSTED_PROXIES",
      "Proxies whose `X-Forwarded-For` tells the caller's address; of others it counts for nothing.",
    ),
    openNodeKey: apiKey(
      "EARSHOT_OPEN_NODE_KEY",
      "A key under which `POST /api/v1/data/:platform/tweets/recent` answers requests that bring none. With it, whoever reaches the server may search there; all of them share the rates of the key.",
    ),
    maxBodyBytes: count(
      "EARSHOT_MAX_BODY_BYTES",
      65_536,
      [1_024, 16_777_216],
      "Largest request body.",
    ),
    maxHeaderBytes: count(
      "EARSHOT_MAX_HEADER_BYTES",
      16_384,
      [8_192, 1_048_576],
      "Largest first line and header of a request, together.",
    ),
    maxConnections: count(
      "EARSHOT_MAX_CONNECTIONS",
      10_000,
      [1, 1_000_000],
      "Connections that may be open, of all callers together; one more is closed at once.",
    ),
    requestTimeoutMs: duration(
      "EARSHOT_REQUEST_TIMEOUT",
      30_000,
      1_000,
      "Longest time that a request may take to arrive whole, from the connection or its first byte on.",
    ),
    idleTimeoutMs: duration(
      "EARSHOT_IDLE_TIMEOUT",
      72_000,
      1_000,
      "Time after which a connection on which nothing moves is closed, between two requests or as its client does not read. A request that waits for its job is not idle: it ends with the job's own time.",
    ),
    maxHeldRequests: count(
      "EARSHOT_MAX_HELD_REQUESTS",
      32,
      [0, 10_000],
      "Requests that wait for the end of a job, and streams of events, which one key may have open: one more with `?wait=` is answered at once, one more search in one request or stream is refused.",
    ),
    maxStreamMs: duration(
      "EARSHOT_MAX_STREAM_TIME",
      900_000,
      1_000,
      "Longest time that a stream of events stays open; its client connects again where it ended, with a key that is still valid.",
    ),
    maxReadWaitMs: duration(
      "EARSHOT_MAX_READ_WAIT",
      2_000,
      0,
      "Longest time that a read of one's own job beyond the rate waits for its turn; then it is refused.",
    ),
    stopGraceMs: duration(
      "EARSHOT_STOP_GRACE",
      3_000,
      0,
      "Longest time that a stop waits for open requests and running searches; it ends at most 1.5 s later.",
    ),
  },
  limits: {
    requestsPerSecond: count(
      "EARSHOT_REQUESTS_PER_SECOND",
      defaultLimits.requestsPerSecond,
      [1, 1_000_000],
      "Requests that a key may make in any second, unless the key has its own limit.",
    ),
    submissionsPerMinute: count(
      "EARSHOT_SUBMISSIONS_PER_MINUTE",
      defaultLimits.submissionsPerMinute,
      [1, 10_000_000],
      "Searches that a key may submit in any 60 seconds, unless the key has its own limit.",
    ),
    failedKeysPerMinute: count(
      "EARSHOT_FAILED_KEYS_PER_MINUTE",
      defaultLimits.failedKeysPerMinute,
      [1, 1_000_000],
      "Different wrong keys that may come from one address in any 60 seconds before it is refused.",
    ),
    dashboardRequestsPerSecond: count(
      "EARSHOT_DASHBOARD_REQUESTS_PER_SECOND",
      defaultLimits.dashboardRequestsPerSecond,
      [1, 1_000_000],
      "Requests that an account's dashboard may make in any second, all of its pages together. It submits as many searches as a key.",
    ),
  },
  signIn: {
    githubUrl: url(
      "EARSHOT_GITHUB_URL",
      githubUrl,
      ["https:", "http:"],
      "The GitHub that people sign in with; of GitHub Enterprise Server the address of your own.",
    ),
    githubClientId: word(
      "EARSHOT_GITHUB_CLIENT_ID",
      "The client id of the OAuth app that you registered there. With its secret, people sign up with GitHub.",
    ),
    githubClientSecret: secret("EARSHOT_GITHUB_CLIENT_SECRET", "The client secret of that app."),
    gitlabUrl: url(
      "EARSHOT_GITLAB_URL",
      gitlabUrl,
      ["https:", "http:"],
      "The GitLab that people sign in with.",
    ),
    gitlabClientId: word(
      "EARSHOT_GITLAB_CLIENT_ID",
      "The id of the application that you registered there. With its secret, people sign up with GitLab.",
    ),
    gitlabClientSecret: secret("EARSHOT_GITLAB_CLIENT_SECRET", "The secret of that application."),
    allow: allowList(
      "EARSHOT_SIGNUP_ALLOW",
      "Who may sign in with a code host; asked at every sign-in. A login counts with every provider unless `github:` or `gitlab:` stands before it; `org:` names an organisation of GitHub or a group of GitLab.",
    ),
    operators: identityList(
      "EARSHOT_OPERATORS",
      "Who becomes an operator when they sign in: the number of the account, since a login may change hands.",
    ),
    attemptMs: duration(
      "EARSHOT_SIGN_IN_TIME",
      signInDefaults.attemptMs,
      1_000,
      "Time that somebody has at the code host from the beginning of a sign-in to its end.",
    ),
    linkMs: duration(
      "EARSHOT_SIGN_IN_LINK_TIME",
      signInDefaults.linkMs,
      1_000,
      "How long a link of `earshot sign-in` is good.",
    ),
    attemptsPerMinute: count(
      "EARSHOT_SIGN_INS_PER_MINUTE",
      signInDefaults.attemptsPerMinute,
      [1, 1_000_000],
      "Sign-ins that one address may begin or finish in any 60 seconds.",
    ),
    timeoutMs: duration(
      "EARSHOT_SIGN_IN_PROVIDER_TIMEOUT",
      signInDefaults.timeoutMs,
      1,
      "Time that the code host has to answer one request.",
    ),
    maxAnswerBytes: count(
      "EARSHOT_SIGN_IN_MAX_BYTES",
      signInDefaults.maxAnswerBytes,
      [1_024, 16 * 1024 ** 2],
      "Largest answer of the code host.",
    ),
  },
  sessions: {
    idleMs: duration(
      "EARSHOT_SESSION_IDLE",
      sessionDefaults.idleMs,
      1_000,
      "Time without a request after which somebody has to sign in again; kept to the minute.",
    ),
    maxAgeMs: duration(
      "EARSHOT_SESSION_MAX_AGE",
      sessionDefaults.maxAgeMs,
      1_000,
      "Time after the sign-in after which a session ends in any case.",
    ),
    rotationMs: duration(
      "EARSHOT_SESSION_ROTATION",
      sessionDefaults.rotationMs,
      1_000,
      "How old the cookie of a session may get before it is replaced.",
    ),
    formerMs: duration(
      "EARSHOT_SESSION_FORMER_TIME",
      sessionDefaults.formerMs,
      0,
      "How long a cookie that was replaced is still good, from the first use of the one in its place; whoever shows it later ends the session.",
    ),
    maxPerAccount: count(
      "EARSHOT_MAX_SESSIONS",
      sessionDefaults.maxPerAccount,
      [1, 10_000],
      "Sessions that an account may have; one more ends the one that was used longest ago.",
    ),
  },
  keys: {
    maxKeysPerAccount: count(
      "EARSHOT_MAX_KEYS_PER_ACCOUNT",
      keyDefaults.maxPerAccount,
      [1, 1_000],
      "Keys that an account may have. One that was rotated counts no more, though it is still good for a while.",
    ),
    newKeysPerDay: count(
      "EARSHOT_NEW_KEYS_PER_DAY",
      keyDefaults.newPerDay,
      [1, 100_000],
      "Keys that an account may make in the dashboard in any 24 hours, rotations among them. Each has rates that nothing has used up yet.",
    ),
    deletedAccountMs: duration(
      "EARSHOT_DELETED_ACCOUNT_MEMORY",
      rememberedMs,
      0,
      "How long whoever deleted their account and signs up again gets its limits back, and the count of keys made. Until then it is kept under a keyed hash that names nobody; 0 keeps nothing.",
    ),
  },
  search: {
    liveWindowMs: duration(
      "EARSHOT_LIVE_WINDOW",
      7 * dayMs,
      1_000,
      "How far `searchbyquery` looks back from the submission.",
    ),
    maxLiveQueryLength: count(
      "EARSHOT_MAX_LIVE_QUERY_LENGTH",
      longestLiveQuery,
      [1, 65_536],
      "Longest query of `searchbyquery`, in characters.",
    ),
    maxArchiveQueryLength: count(
      "EARSHOT_MAX_ARCHIVE_QUERY_LENGTH",
      longestArchiveQuery,
      [1, 65_536],
      "Longest query of `searchbyfullarchive`, in characters.",
    ),
    countDeadlineMs: duration(
      "EARSHOT_COUNT_DEADLINE",
      10_000,
      100,
      "Time that a count of posts has before it answers with what it has counted.",
    ),
    maxCountBuckets: count(
      "EARSHOT_MAX_COUNT_BUCKETS",
      44_640,
      [1, 1_000_000],
      "Most buckets that one page of counts has: 31 days of minutes.",
    ),
  },
  jobs: {
    deadlineMs: duration(
      "EARSHOT_JOB_DEADLINE",
      jobDefaults.deadlineMs,
      1_000,
      "Time that a job has from its submission, all attempts included.",
    ),
    deadlineGraceMs: duration(
      "EARSHOT_JOB_DEADLINE_GRACE",
      jobDefaults.deadlineGraceMs,
      0,
      "How much later a running job may still hand in what it found.",
    ),
    retryDelayMs: duration(
      "EARSHOT_RETRY_DELAY",
      jobDefaults.retryDelayMs,
      1,
      "Pause before the second attempt of a job; doubled before each further one.",
    ),
    maxAttempts: count(
      "EARSHOT_MAX_ATTEMPTS",
      jobDefaults.maxAttempts,
      [1, 100],
      "Attempts that a job has.",
    ),
    leaseMs: duration(
      "EARSHOT_LEASE",
      jobDefaults.leaseMs,
      1_000,
      "Time that a node holds a job before it must renew its lease.",
    ),
    resultRetentionMs: duration(
      "EARSHOT_RESULT_RETENTION",
      jobDefaults.resultRetentionMs,
      1_000,
      "How long a result can be fetched; then the job is `expired`.",
    ),
    retentionMs: duration(
      "EARSHOT_JOB_RETENTION",
      jobDefaults.retentionMs,
      1_000,
      "How long the status of a job can be read; then its uuid is unknown.",
    ),
    idempotencyMs: duration(
      "EARSHOT_IDEMPOTENCY_RETENTION",
      jobDefaults.idempotencyMs,
      1_000,
      "How long a submission is known by its `Idempotency-Key`; the same one within that time is answered with the uuid of the first.",
    ),
    maxWaiting: count(
      "EARSHOT_MAX_WAITING_JOBS",
      jobDefaults.maxWaiting,
      [1, 10_000_000],
      "Jobs that may wait for a node; a submission beyond it is refused with 503.",
    ),
    maxRunningPerKey: count(
      "EARSHOT_MAX_RUNNING_PER_KEY",
      jobDefaults.maxRunningPerKey,
      [1, 1_000],
      "Searches of one key that run at the same time.",
    ),
    concurrency: count(
      "EARSHOT_NODE_CONCURRENCY",
      16,
      [0, 1_000],
      "Searches that the node in this process runs at the same time; 0 runs none.",
    ),
    fetchConcurrency: count(
      "EARSHOT_NODE_FETCH_CONCURRENCY",
      64,
      [0, 10_000],
      "Jobs of the other methods, which mostly wait for a platform, that it runs at the same time beside the searches; 0 runs none.",
    ),
  },
  webhooks: {
    maxPerAccount: count(
      "EARSHOT_MAX_WEBHOOKS",
      webhookDefaults.maxPerAccount,
      [0, 1_000],
      "Webhooks that an account may have.",
    ),
    concurrency: count(
      "EARSHOT_WEBHOOK_CONCURRENCY",
      webhookDefaults.concurrency,
      [0, 1_000],
      "Deliveries that are under way at the same time, two of one webhook at most; 0 delivers nothing.",
    ),
    timeoutMs: duration(
      "EARSHOT_WEBHOOK_TIMEOUT",
      webhookDefaults.timeoutMs,
      1,
      "Time that a receiver has to answer a delivery.",
    ),
    retentionMs: duration(
      "EARSHOT_WEBHOOK_RETENTION",
      webhookDefaults.retentionMs,
      1_000,
      "How long a delivery is kept, whether it has ended or not.",
    ),
    maxDeliveries: count(
      "EARSHOT_WEBHOOK_MAX_DELIVERIES",
      webhookDefaults.maxDeliveries,
      [1, 10_000_000],
      "Deliveries that are kept of one webhook. More are dropped within a minute, the oldest first, whether they have ended or not.",
    ),
    disableAfterMs: duration(
      "EARSHOT_WEBHOOK_DISABLE_AFTER",
      webhookDefaults.disableAfterMs,
      1_000,
      "A webhook that has failed for so long without a success is disabled when a delivery has used all of its tries.",
    ),
    formerSecretMs: duration(
      "EARSHOT_WEBHOOK_FORMER_SECRET_TIME",
      webhookDefaults.formerSecretMs,
      0,
      "How long a secret that was replaced signs beside the one in its place.",
    ),
    allowHttp: choice(
      "EARSHOT_WEBHOOK_ALLOW_HTTP",
      webhookDefaults.allowHttp,
      ["on", "off"],
      "Whether a webhook may have an address without TLS.",
    ),
    privateHosts: urlListOrNone(
      "EARSHOT_WEBHOOK_PRIVATE_HOSTS",
      webhookDefaults.privateHosts,
      ["https:", "http:"],
      "Hosts that webhooks of every account may name though their addresses are not public, such as one of your own network; host and port count.",
    ),
  },
  ingest: {
    source: choice(
      "EARSHOT_INGEST",
      "bluesky",
      ["bluesky", "off"],
      "Which live stream fills the archive.",
    ),
    urls: urlList(
      "EARSHOT_JETSTREAM_URLS",
      [
        "wss://jetstream1.us-east.bsky.network/subscribe",
        "wss://jetstream2.us-east.bsky.network/subscribe",
        "wss://jetstream1.us-west.bsky.network/subscribe",
        "wss://jetstream2.us-west.bsky.network/subscribe",
      ],
      ["ws:", "wss:"],
      "Jetstream servers, tried in turn; separated by commas.",
    ),
    followed: someOf(
      "EARSHOT_INGEST_COLLECTIONS",
      ["posts", "likes", "reposts", "profiles"],
      "What is followed. Without likes or reposts the counts of streamed posts do not tell of them, and the stream is a tenth as large.",
    ),
    compress: choice(
      "EARSHOT_JETSTREAM_COMPRESS",
      "off",
      ["on", "off"],
      "Whether the stream is asked for compressed: half the bytes, for four times the work of reading an event.",
    ),
    dictionaryUrl: url(
      "EARSHOT_JETSTREAM_DICTIONARY_URL",
      "https://raw.githubusercontent.com/bluesky-social/jetstream/v0.2.0/internal/subscribe/dictionaries/legacy_subscribe.zdict",
      ["https:", "http:"],
      "Where the dictionary of the compressed stream is fetched from, once; it is kept as `jetstream.zdict` in the data folder. Without it the stream comes uncompressed.",
    ),
    lookbackMs: duration(
      "EARSHOT_INGEST_LOOKBACK",
      0,
      0,
      "How far back the very first start of the live stream begins.",
    ),
    overlapMs: duration(
      "EARSHOT_INGEST_OVERLAP",
      5_000,
      0,
      "How far before the last event on disk the stream is resumed.",
    ),
    batchEvents: count(
      "EARSHOT_INGEST_BATCH_EVENTS",
      2_000,
      [1, 100_000],
      "Most events that are written together.",
    ),
    batchMs: duration(
      "EARSHOT_INGEST_BATCH_TIME",
      100,
      1,
      "Longest time that an event with more than a count, such as a post, waits for others to be written with.",
    ),
    quietBatchMs: duration(
      "EARSHOT_INGEST_QUIET_BATCH_TIME",
      1_000,
      1,
      "The same for events that only add to counts or move the stream's place.",
    ),
    maxWaitingEvents: count(
      "EARSHOT_INGEST_MAX_WAITING_EVENTS",
      10_000,
      [1, 1_000_000],
      "Events that may wait for the archive before reading pauses; what one read from the network brings may come on top.",
    ),
    maxRememberedEvents: count(
      "EARSHOT_INGEST_MAX_REMEMBERED_EVENTS",
      250_000,
      [1, 10_000_000],
      "Events that are remembered to know them again after a cut; 32 to 64 bytes for each.",
    ),
    maxFrameBytes: count(
      "EARSHOT_INGEST_MAX_FRAME_BYTES",
      4 * 1024 ** 2,
      [1_024, 1024 ** 3],
      "Largest event of the stream.",
    ),
    handshakeTimeoutMs: duration(
      "EARSHOT_INGEST_HANDSHAKE_TIMEOUT",
      10_000,
      1,
      "Longest time that connecting may take.",
    ),
    idleTimeoutMs: duration(
      "EARSHOT_INGEST_IDLE_TIMEOUT",
      30_000,
      1,
      "Time without an event after which the connection is given up.",
    ),
    leastBackoffMs: duration(
      "EARSHOT_INGEST_LEAST_BACKOFF",
      250,
      1,
      "First pause before connecting again; it doubles with each failure.",
    ),
    mostBackoffMs: duration(
      "EARSHOT_INGEST_MOST_BACKOFF",
      30_000,
      1,
      "Longest pause before connecting again.",
    ),
    coverageSlackMs: duration(
      "EARSHOT_COVERAGE_SLACK",
      10_000,
      0,
      "How far the newest end of the live stream's coverage may lie back and still count as now.",
    ),
    labelerUrls: urlListOrNone(
      "EARSHOT_LABELER_URLS",
      ["wss://mod.bsky.app/xrpc/com.atproto.label.subscribeLabels"],
      ["ws:", "wss:"],
      "Labelers whose labels are taken as they make them: takedowns, and what `label:` and `filter:safe` go by.",
    ),
    labelerSources: didList(
      "EARSHOT_LABELER_SOURCES",
      ["did:plc:ar7c4by46qjdydhdevvrndac"],
      "Accounts whose labels are believed, whoever sends them.",
    ),
    labelerStart: choice(
      "EARSHOT_LABELER_START",
      "now",
      ["now", "beginning"],
      "Where the very first connection to a labeler begins. The whole past of the network's own labeler is tens of millions of labels.",
    ),
    maxLabelsOfFrame: count(
      "EARSHOT_LABELER_MAX_LABELS",
      1_000,
      [1, 100_000],
      "Most labels that a labeler may send in one frame.",
    ),
    lookUp: choice(
      "EARSHOT_LOOKUP",
      "on",
      ["on", "off"],
      "Whether handles, names and labels of accounts whose posts are held are looked up.",
    ),
    appviewUrl: url(
      "EARSHOT_BLUESKY_APPVIEW_URL",
      "https://public.api.bsky.app",
      ["https:", "http:"],
      "The service of the network that is asked about accounts.",
    ),
    lookUpAgeMs: duration(
      "EARSHOT_LOOKUP_AGE",
      7 * dayMs,
      1_000,
      "After how long an account is looked up again.",
    ),
    lookUpsPerSecond: count(
      "EARSHOT_LOOKUP_PER_SECOND",
      2,
      [1, 1_000],
      "Most requests in a second, of up to 25 accounts each.",
    ),
    fetchTimeoutMs: duration(
      "EARSHOT_LOOKUP_TIMEOUT",
      10_000,
      1,
      "Longest time that a look-up, or the fetch of the stream's dictionary, may take.",
    ),
    maxAnswerBytes: count(
      "EARSHOT_LOOKUP_MAX_BYTES",
      1024 ** 2,
      [1_024, 1024 ** 3],
      "Largest answer to a look-up.",
    ),
  },
  mastodonStream: {
    server: urlOrNone(
      "EARSHOT_MASTODON_STREAM",
      ["https:", "http:"],
      "The Mastodon server whose public stream fills the archive, beside Bluesky's. It takes a user token of that server, see `earshot credentials`.",
    ),
    stream: choice(
      "EARSHOT_MASTODON_STREAM_NAME",
      "public",
      ["public", "public:remote", "public:local"],
      "Which of the server's streams: all public posts that it sees, those of other servers, or its own.",
    ),
    silenceMs: duration(
      "EARSHOT_MASTODON_STREAM_SILENCE",
      600_000,
      1_000,
      "Time without an event after which the connection is made anew, though the server shows signs of life.",
    ),
    leastBackoffMs: duration(
      "EARSHOT_MASTODON_STREAM_LEAST_BACKOFF",
      1_000,
      1,
      "First pause before connecting again; it doubles with each failure.",
    ),
    mostBackoffMs: duration(
      "EARSHOT_MASTODON_STREAM_MOST_BACKOFF",
      60_000,
      1,
      "Longest pause before connecting again.",
    ),
  },
  backfill: {
    plcUrl: url(
      "EARSHOT_PLC_URL",
      "https://plc.directory",
      ["https:", "http:"],
      "The directory that tells where an account's posts lie.",
    ),
    requestsPerSecond: count(
      "EARSHOT_BACKFILL_REQUESTS_PER_SECOND",
      5,
      [1, 1_000],
      "Requests that `earshot backfill` makes to one host in a second; what the host itself allows bounds it further.",
    ),
    accountsAtOnce: count(
      "EARSHOT_BACKFILL_ACCOUNTS_AT_ONCE",
      4,
      [1, 64],
      "Accounts that are read at the same time.",
    ),
    maxRepositoryBytes: count(
      "EARSHOT_BACKFILL_MAX_REPOSITORY_BYTES",
      128 * 1024 ** 2,
      [1_024, 4 * 1024 ** 3],
      "Largest repository that is read as a whole, in memory; of a larger one the posts are listed, page by page.",
    ),
    maxPosts: count(
      "EARSHOT_BACKFILL_MAX_POSTS",
      5_000_000,
      [1, 1_000_000_000],
      "Most posts of one account.",
    ),
    timeoutMs: duration(
      "EARSHOT_BACKFILL_TIMEOUT",
      30_000,
      1,
      "Time that a host has to answer one request.",
    ),
    repositoryTimeoutMs: duration(
      "EARSHOT_BACKFILL_REPOSITORY_TIMEOUT",
      600_000,
      1,
      "The same for a whole repository.",
    ),
    privateHosts: urlListOrNone(
      "EARSHOT_BACKFILL_PRIVATE_HOSTS",
      [],
      ["https:", "http:"],
      "Servers of accounts that may be called though their addresses are not public, such as one of your own network.",
    ),
    streamLookbackMs: duration(
      "EARSHOT_BACKFILL_STREAM_LOOKBACK",
      36 * 3_600_000,
      0,
      "How far back the servers of the live stream go; what is older is replayed from the archive.",
    ),
    replayUrl: url(
      "EARSHOT_NETWORK_REPLAY_URL",
      "https://jetstream.us-east.bsky.network",
      ["https:", "http:"],
      "The Jetstream server whose archive `earshot backfill --replay` reads.",
    ),
    replayToken: secret(
      "EARSHOT_NETWORK_REPLAY_TOKEN",
      "The token that the archive asks for; https://bsky.network/account gives one.",
    ),
  },
  upstreams: {
    defaultPlatform: choice(
      "EARSHOT_DEFAULT_PLATFORM",
      "bluesky",
      ["bluesky", "mastodon", "x"],
      "The platform that `social` asks when neither the method's query nor its path names one.",
    ),
    timeoutMs: duration(
      "EARSHOT_UPSTREAM_TIMEOUT",
      10_000,
      1,
      "Time that a platform has to answer one request.",
    ),
    maxAnswerBytes: count(
      "EARSHOT_UPSTREAM_MAX_BYTES",
      4 * 1024 ** 2,
      [1_024, 1024 ** 3],
      "Largest answer of a platform.",
    ),
    maxAnswerValues: count(
      "EARSHOT_UPSTREAM_MAX_VALUES",
      200_000,
      [1_000, 10_000_000],
      "Most values of the JSON of such an answer: twice what 500 posts hold. Reading very many holds up everything else.",
    ),
    maxCredentials: count(
      "EARSHOT_MAX_CREDENTIALS",
      100,
      [1, 10_000],
      "Credentials of a platform that an account, or the deployment, may have.",
    ),
    credentialChecksPerMinute: count(
      "EARSHOT_CREDENTIAL_CHECKS_PER_MINUTE",
      20,
      [1, 10_000],
      "Times that the dashboard asks platforms about credentials of one account in any 60 seconds: when one is added, allowed in a browser or tested.",
    ),
    authorizationMs: duration(
      "EARSHOT_AUTHORIZATION_TIME",
      600_000,
      1_000,
      "How long an attempt to connect a platform in a browser waits on the dashboard.",
    ),
    maxAuthorizationsPerAccount: count(
      "EARSHOT_MAX_AUTHORIZATIONS_PER_ACCOUNT",
      3,
      [1, 100],
      "Such attempts that one account may have under way; a further one ends the oldest that waits.",
    ),
    maxAuthorizations: count(
      "EARSHOT_MAX_AUTHORIZATIONS",
      200,
      [1, 100_000],
      "The same of all accounts together; a further one is refused.",
    ),
    tries: count(
      "EARSHOT_UPSTREAM_TRIES",
      3,
      [1, 10],
      "How often a request to a platform is sent that fails by what may pass: no connection, no answer in time, a status of 500 and above.",
    ),
    retryPauseMs: duration(
      "EARSHOT_UPSTREAM_RETRY_PAUSE",
      500,
      1,
      "Pause before such a request is sent again, doubled each time; part of it is random.",
    ),
    maxRetryPauseMs: duration(
      "EARSHOT_UPSTREAM_MAX_RETRY_PAUSE",
      8_000,
      1,
      "Longest of these pauses, where the platform asks for none.",
    ),
    limitPauseMs: duration(
      "EARSHOT_UPSTREAM_LIMIT_PAUSE",
      1_000,
      1,
      "Pause after a platform has refused a request for its limit without saying until when, doubled with each refusal in a row; part of it is random.",
    ),
    maxLimitPauseMs: duration(
      "EARSHOT_UPSTREAM_MAX_LIMIT_PAUSE",
      60_000,
      1,
      "Longest of these pauses.",
    ),
    maxPages: count(
      "EARSHOT_UPSTREAM_MAX_PAGES",
      20,
      [1, 1_000],
      "Pages of a platform that one job reads; where it stops, the answer says so and its cursor goes on.",
    ),
    searchWaitMs: duration(
      "EARSHOT_UPSTREAM_SEARCH_WAIT",
      10_000,
      0,
      "How long a search waits for the limit of a platform; then it answers with what it has. Other methods wait as long as their job has time.",
    ),
    dispatchesPerSecond: count(
      "EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND",
      3,
      [1, 10_000],
      "Jobs that a node begins to ask platforms for in any second; more wait their turn.",
    ),
    privateHosts: urlListOrNone(
      "EARSHOT_UPSTREAM_PRIVATE_HOSTS",
      [],
      ["https:", "http:"],
      "Servers of platforms that may be called though their addresses are not public, such as an instance of your own network; host and port count.",
    ),
    blueskyPublic: choice(
      "EARSHOT_BLUESKY_PUBLIC",
      "on",
      ["on", "off"],
      "Whether what Bluesky shows to everyone is asked for without a credential.",
    ),
    blueskySearch: choice(
      "EARSHOT_BLUESKY_SEARCH",
      "off",
      ["on", "off"],
      "Whether searches ask Bluesky's `searchPosts` for what the archive lacks, with a credential. Bluesky asks that people, not programs, be the ones who search there.",
    ),
    blueskyFeed: text(
      "EARSHOT_BLUESKY_FEED",
      "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot",
      "the at:// uri of a feed generator",
      "The feed that `getforyoutweets` reads on Bluesky.",
    ),
    mastodonInstance: urlListOrNone(
      "EARSHOT_MASTODON_INSTANCE",
      [],
      ["https:", "http:"],
      "The Mastodon server that is asked where neither a credential nor the query names one.",
    ),
    xApiUrl: url(
      "EARSHOT_X_API_URL",
      "https://api.x.com",
      ["https:", "http:"],
      "Where the API of X is.",
    ),
    xMonthlyPostReads: count(
      "EARSHOT_X_MONTHLY_POST_READS",
      10_000,
      [0, 1_000_000_000],
      "Posts that the deployment's credentials of X may read in a calendar month (UTC); X bills each. Credentials of accounts are theirs to pay and are not counted.",
    ),
    xRedistributionAgreed: choice(
      "EARSHOT_X_REDISTRIBUTION_AGREED",
      "false",
      ["true", "false"],
      "Whether X has agreed that what the deployment's credentials fetch is shown to other accounts; else they are given IDs alone.",
    ),
    xTrendsPlace: count(
      "EARSHOT_X_TRENDS_WOEID",
      1,
      [1, 1_000_000_000],
      "The place whose trends `gettrends` tells on X, by its WOEID; 1 is the world.",
    ),
  },
  usage: {
    flushMs: duration(
      "EARSHOT_USAGE_FLUSH",
      10_000,
      10,
      "How long what keys are used for gathers in memory before it is written; a crash loses as much of it.",
    ),
    retentionMs: duration(
      "EARSHOT_USAGE_RETENTION",
      31 * dayMs,
      3_600_000,
      "How long usage, and how the live streams stood, is kept.",
    ),
    statusCacheMs: duration(
      "EARSHOT_STATUS_CACHE",
      60_000,
      1_000,
      "How long the page Status shows the same of the archive before it is asked again, for all accounts together.",
    ),
  },
  nodes: gatewaySettings,
  node: nodeSettings,
  import: {
    maxBytes: count(
      "EARSHOT_IMPORT_MAX_BYTES",
      100 * 1024 ** 3,
      [1_024, 1_000 * 1024 ** 4],
      "Most bytes of one imported file, decompressed.",
    ),
    maxRatio: count(
      "EARSHOT_IMPORT_MAX_RATIO",
      200,
      [1, 1_000_000],
      "Most decompressed bytes for each byte of a compressed file.",
    ),
    maxLineBytes: count(
      "EARSHOT_IMPORT_MAX_LINE_BYTES",
      1024 ** 2,
      [1_024, 1024 ** 3],
      "Longest line of an imported file; a longer one is rejected, the rest goes on.",
    ),
    maxDepth: count(
      "EARSHOT_IMPORT_MAX_DEPTH",
      16,
      [1, 1_000],
      "How deep the JSON of an imported line may nest.",
    ),
  },
  log: {
    level: choice(
      "EARSHOT_LOG_LEVEL",
      "info",
      ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      "What is logged.",
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;

/** All settings in the order of the table. */
export function allSettings(): readonly Setting<unknown>[] {
  return Object.values(settings).flatMap((section) => Object.values<Setting<unknown>>(section));
}
