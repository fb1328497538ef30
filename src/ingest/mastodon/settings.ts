/** The settings of the public stream of a Mastodon server. */
export type MastodonStreamSettings = {
  /** The address of the server. */
  server: string;
  /** Which of its streams. */
  stream: MastodonStreamName;
  /** Places that may be called though their addresses are not public. */
  privateHosts: readonly string[];
  /** Time without an event after which a connection that otherwise shows signs of life is made anew. */
  silenceMs: number;
  /** Time without a sign of life, such as a heartbeat, after which it is given up. */
  idleTimeoutMs: number;
  leastBackoffMs: number;
  mostBackoffMs: number;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  maxWaitingEvents: number;
  maxFrameBytes: number;
  handshakeTimeoutMs: number;
  /** Of the server's description of itself. */
  fetchTimeoutMs: number;
  maxAnswerBytes: number;
  userAgent: string;
  /** Requests to the server's API in a minute, while what was missed is read and stored statuses are compared. */
  requestsPerMinute: number;
  /** Statuses that are read after one gap. */
  catchUpStatuses: number;
  /** After a gap the stored statuses of this time are compared first. */
  recheckRecentMs: number;
  /** All stored statuses are compared again after this. */
  recheckAgeMs: number;
};

/** All public posts that the server sees, those of other servers, or its own. */
export type MastodonStreamName = "public" | "public:remote" | "public:local";
